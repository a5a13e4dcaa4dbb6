// What a kind of data must say of itself to be shown in the studio. The views know of no kind: they ask the viewer of
// the open model (`viewers/index.js`) for elements, and put these where they belong. A new kind is one file here, and
// one line in `viewers/index.js`; or, in a package of someone else's, one file that exports a `viewer`, which the kind
// names (`Kind.viewer_module`). No code: this file is read by the type checker alone.

/** @import { Proportions } from "../lib/cells.js" */
/** @import { Marks } from "../lib/marks.js" */
/** @import { DesignNode, FrameNews, Model } from "../lib/types.js" */

/** A node as far as it is known: of a design in a list of them only the id is.
 * @typedef {{ id: string } & Partial<DesignNode>} Shown */

/**
 * One node on the page. It is made for one model, and may be asked to show one node after another. Nodes never change,
 * so what is shown already need not be asked for again.
 * @typedef {object} Display
 * @property {HTMLElement} element
 * @property {(node: Shown, words: string) => void} show `words`: what it is called, for those who do not see it; empty
 *   where that is said elsewhere
 */

/**
 * A display of what is on its way too: place `index` of a frame, clean or with its noise.
 * @typedef {Display & { frame: (content: any, index: number, noisy: boolean) => void }} LiveDisplay
 */

/** What differs between two nodes. @typedef {{ element: HTMLElement,
 *   show: (before: Shown, after: Shown) => Promise<void> | void }} DifferenceDisplay */

/**
 * The brush in hand. Sliders set its numbers; which there are, the surface says.
 * @typedef {{ kind: "anew" | "lock" } & Record<string, any>} Brush
 */

/** A number of the brush. @typedef {{ key: string, label: string, min: number, max: number, unit: string }} Slider */

/**
 * A node to be painted on: its pixels, letters or columns are what the brush marks. It listens to pointers and keys on
 * its element by itself, begins each stroke with `marks.begin(brush.kind)`, and tells `changed` of every mark.
 * @typedef {object} Surface
 * @property {HTMLElement} element
 * @property {Marks} marks a new one for each node, so ask for it each time
 * @property {Slider[]} sliders
 * @property {Partial<Brush>} start the numbers of the brush with which each node begins, and which brush, if that is
 *   not left to the hand
 * @property {(node: Shown, words: string) => void} show another node begins clean; the same one stays as it is painted
 * @property {() => void} draw after a change of the marks or of the brush that was not made on the surface
 * @property {() => Promise<Record<string, unknown>>} request what a round of filling in is told: `mask`, and more
 */

/** @typedef {{ brush: Brush, changed: () => void, say: (words: string) => void }} Painting */

/**
 * How somebody brings an example of their own.
 * @typedef {object} Own
 * @property {string} label
 * @property {string} hint
 * @property {string | null} accept files to choose from, as an input takes it; null: `ask` is called at once, and
 *   gets a file only where one was dropped or pasted
 * @property {(given: DataTransfer) => File | null} pasted what was pasted, if it is of this kind
 * @property {(model: Model, file: File | null) => Promise<FormData | null>} ask in a dialog; the form to send, or null:
 *   `file`, and `how` to take it where that is more than one way
 */

/** A file that a node can be taken away as. `suffix` ends the file's name. @typedef {{ label: string, hint: string,
 *   address: string, suffix: string }} FileChoice */

/**
 * The candidates of a round below each other, instead of beside each other: a line for each, under a head.
 * @typedef {object} TableView
 * @property {(model: Model) => HTMLElement} head
 * @property {(model: Model) => LiveDisplay} live
 */

/**
 * @typedef {object} Viewer
 * @property {string} [styles] the address of its style sheet, seen from the page
 * @property {(model: Model) => string} size of an example, in a word or two
 * @property {(model: Model) => Proportions} proportions of a candidate's cell
 * @property {(model: Model) => Display} thumbnail a few dozen pixels in the tree, in the dial and in lists
 * @property {(model: Model) => Display} large as large as there is room
 * @property {(model: Model, place: "cell" | "stage") => LiveDisplay} live a candidate in its cell; a walk on the stage
 * @property {TableView} [table] none: candidates are shown beside each other alone
 * @property {(news: FrameNews) => Promise<any>} read what the server tells of a step, into what `frame` takes
 * @property {(model: Model, example: { index: number, shown: any }) => HTMLElement} example one of the data set
 * @property {(model: Model, id: string | null) => unknown} [listen] let a node be heard, or stop that; none: there is
 *   nothing to hear
 * @property {((model: Model) => DifferenceDisplay) | null} difference null: there is no telling
 * @property {string} differenceHint how to read it
 * @property {((model: Model, painting: Painting) => Surface) | null} surface null: it cannot be painted on
 * @property {Own | null} own null: nobody can bring one
 * @property {(model: Model, node: Shown) => FileChoice[]} files the first is the one that the key P saves
 * @property {{ label: string } | null} sheet a file with several of them; null: there is none
 * @property {{ label: string, name: string }[]} films what a walk that was recorded can be taken away as
 */

export {};
