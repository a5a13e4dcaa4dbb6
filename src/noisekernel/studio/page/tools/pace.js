// The pace of a walk on a slider. It is even in the logarithm: half as fast is the same turn anywhere. Pure.

const LOW = 0.01;
const HIGH = 0.5;

/** @param {number} share of the slider */
export const paceAt = (share) => Number((LOW * (HIGH / LOW) ** share).toPrecision(3));

/** @param {number} pace */
export function shareOf(pace) {
  const share = Math.log(pace / LOW) / Math.log(HIGH / LOW);
  return Math.round(100 * Math.min(1, Math.max(0, share))) / 100;
}

/** @param {number} share */
export const paceWords = (share) => `${Number((100 * paceAt(share)).toPrecision(2))} % a step`;
