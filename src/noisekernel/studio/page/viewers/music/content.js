// What nodes hold, as notes. The address of a node is a MIDI file; the viewer asks for the same as JSON.

import { address, remembered } from "../remembered.js";
import { pieceOf } from "./piece.js";

/** Where the server has a node in another form than the usual one. @param {string} id @param {string} form */
export const formOf = (id, form) => `${address(id)}?as=${form}`;

/** The notes of a node. */
export const pieceAt = remembered((told) => pieceOf(JSON.parse(told)), (id) => formOf(id, "json"));
