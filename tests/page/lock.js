// Takes the addresses of those who ask for donations out of the lock file: it names packages and hashes alone.
// Run by `npm run lock`, after a change of package.json.

import { readFileSync, writeFileSync } from "node:fs";

const PLACE = new URL("../../package-lock.json", import.meta.url);
const lock = JSON.parse(readFileSync(PLACE, "utf8"));
for (const about of Object.values(lock.packages)) {
  delete about.funding;
  delete about.resolved;
}
writeFileSync(PLACE, `${JSON.stringify(lock, null, 2)}\n`);
