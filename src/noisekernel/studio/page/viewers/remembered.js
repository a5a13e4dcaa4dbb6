// What nodes hold, for kinds that the server tells as text. Nodes never change, so each is asked for once.

import { sentence } from "../lib/api.js";
import { Refusal } from "../lib/refusal.js";

const MOST = 4000; // nodes that are remembered

/** Where the server shows a node. @param {string} id */
export const address = (id) => `/api/nodes/${id}/show`;

/**
 * A function from a node's id to its content, which `read` makes of the server's words.
 * @template T
 * @param {(told: string) => T} read
 * @param {(id: string) => string} [where] the address to ask
 * @returns {(id: string) => Promise<T>}
 */
export function remembered(read, where = address) {
  /** @type {Map<string, Promise<T>>} */
  const known = new Map();
  return (id) => {
    const before = known.get(id);
    if (before) return before;
    const asked = told(where(id)).then(read);
    known.set(id, asked);
    asked.catch(() => known.delete(id)); // to be asked for again
    for (const oldest of known.keys()) if (known.size > MOST) known.delete(oldest);
    return asked;
  };
}

/** @param {string} where */
async function told(where) {
  let response;
  try {
    response = await fetch(where);
  } catch {
    throw new Refusal("The server does not answer.", 0);
  }
  if (response.ok) return response.text();
  throw new Refusal(sentence(await response.json().catch(() => null), response.status), response.status);
}

/**
 * Load for a display: of what was wished for, only the last is shown, and what is shown is not loaded again.
 * @template T
 * @param {(id: string) => Promise<T>} load
 * @param {(content: T, id: string) => void} show
 */
export function latest(load, show) {
  /** @type {string | null} */
  let wanted = null;
  return {
    /** @param {string} id */
    async wish(id) {
      if (wanted === id) return;
      wanted = id;
      try {
        const content = await load(id);
        if (wanted === id) show(content, id);
      } catch {
        if (wanted === id) wanted = null; // as a picture that cannot be loaded: nothing to see, and no message each
      }
    },
    /** Something else is shown by now. */
    forget() {
      wanted = null;
    },
  };
}
