// What nodes hold, as notes. The address of a node is a MIDI file; the viewer asks for the same as JSON.

/** @import { Piece } from "./piece.js" */

import { get } from "../../lib/api.js";
import { address } from "../remembered.js";
import { pieceOf } from "./piece.js";

const MOST = 4000; // nodes that are remembered

/** Where the server has a node in another form than the usual one. @param {string} id @param {string} form */
export const formOf = (id, form) => `${address(id)}?as=${form}`;

/** @type {Map<string, Promise<Piece>>} */
const known = new Map();

/** The notes of a node. Nodes never change, so each is asked for once. @param {string} id @returns {Promise<Piece>} */
export function pieceAt(id) {
  const before = known.get(id);
  if (before) return before;
  const asked = get(`/nodes/${id}/show?as=json`).then(pieceOf);
  known.set(id, asked);
  asked.catch(() => known.delete(id)); // to be asked for again
  for (const oldest of known.keys()) if (known.size > MOST) known.delete(oldest);
  return asked;
}
