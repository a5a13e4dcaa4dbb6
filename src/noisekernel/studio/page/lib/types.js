// What the server says, and what the page keeps, as types. No code: this file is read by the type checker alone.

/**
 * A model that is served.
 * @typedef {object} Model
 * @property {string} id
 * @property {string} kind the name of the viewer of its data
 * @property {string} one what an example is called
 * @property {string} many what several are called
 * @property {Record<string, any>} view what the viewer needs to know of its examples
 * @property {string | null} viewer_module the address of a viewer that the kind of its data brings along
 * @property {string[]} classes
 * @property {number} parameters
 * @property {{ measured: boolean }} strength
 * @property {number} [examples] how many there are to start from
 */

/**
 * One example of a design: what was brought or made.
 * @typedef {object} DesignNode
 * @property {string} id
 * @property {string | null} parent
 * @property {string | null} round
 * @property {number} index
 * @property {string} task
 * @property {boolean} kept
 * @property {boolean} starred
 * @property {string | null} name
 * @property {boolean} [deleted]
 * @property {number} created
 * @property {Record<string, any>} [settings]
 * @property {number} [seed]
 * @property {string | null} [said] what a person should know of it
 */

/**
 * A task with its settings, and what became of it.
 * @typedef {object} Round
 * @property {string} id
 * @property {string} task
 * @property {Record<string, any>} [settings]
 * @property {string[]} [parents]
 * @property {number} n
 * @property {string} status
 * @property {string | null} [job]
 */

/**
 * @typedef {object} Design
 * @property {string} id
 * @property {string} name
 * @property {string} model
 * @property {string | null} [latest] its latest round
 * @property {string | null} [present]
 */

/** @typedef {{ id: string, name: string, model: string, nodes: number, thumb: string | null }} Summary */

/** A design as the server tells it.
 * @typedef {Design & { nodes: DesignNode[], rounds: Round[], opinions: Record<string, number> }} DesignAnswer */

/**
 * A round on its way.
 * @typedef {object} Job
 * @property {string} id
 * @property {string} round
 * @property {string} task
 * @property {number} n
 * @property {string} status
 * @property {number} step
 * @property {number} steps
 * @property {number | null} [position] how many are before it
 * @property {number | null} began null: nobody here saw it begin
 * @property {boolean} [paused] of walks, as the next three
 * @property {boolean} [recording]
 * @property {boolean} [film]
 * @property {number} [pace]
 */

/**
 * What a round on its way looks like, as the server tells it. The rest is for the viewer of the model's kind.
 * @typedef {{ step: number, steps?: number, paused?: boolean, recording?: boolean, film?: boolean, pace?: number }
 *   & Record<string, any>} FrameNews
 */

/** A frame that the viewer has read: `content` is what its displays take. @typedef {{ round: string, step: number,
 *   content: any }} Frame */

/** @typedef {{ ready?: boolean, likes: number, dislikes: number, sure: number, said: string }} Taste */

/**
 * The dials. What is null is left to the studio.
 * @typedef {object} Settings
 * @property {number} strength
 * @property {number} taste
 * @property {number} count
 * @property {number | null} steps
 * @property {number | null} beta
 * @property {number | null} lag
 * @property {number | null} seed
 * @property {number | null} readout
 * @property {string | null} label
 * @property {boolean} onwards
 */

/** @typedef {"start" | "grid" | "node" | "compare" | "paint" | "walk"} ViewName */
/** @typedef {"vary" | "paint" | "taste" | "walk"} ToolName */

/**
 * @typedef {object} State
 * @property {boolean} online
 * @property {Model[]} models
 * @property {Model | null} model of the open design, or the one chosen on the start page
 * @property {Summary[]} designs
 * @property {Design | null} design
 * @property {Map<string, DesignNode>} nodes deleted ones left out
 * @property {Map<string, Round>} rounds
 * @property {Map<string, number>} opinions by node: 1 or -1
 * @property {string | null} present the node that the next round starts from
 * @property {ViewName} view
 * @property {ToolName} tool
 * @property {string | null} shown the round on the stage
 * @property {string[]} compared two nodes
 * @property {Set<string>} picked nodes
 * @property {Job | null} job
 * @property {Frame | null} frame the last one of the round on its way
 * @property {boolean} noisy whether the noisy state of the chain is shown
 * @property {Taste | null} taste
 * @property {Settings} settings
 */

export {};
