// What cannot be done, as a sentence to show.

export class Refusal extends Error {
  /**
   * @param {string} sentence
   * @param {number} status as of HTTP; 0: the server did not answer
   */
  constructor(sentence, status = 400) {
    super(sentence);
    this.status = status;
  }
}

/** The status of a refusal; undefined of any other error, which is a mistake of the page's. @param {unknown} error */
export const statusOf = (error) => (error instanceof Refusal ? error.status : undefined);

/** @param {unknown} error */
export const sentenceOf = (error) => (error instanceof Error ? error.message : String(error));
