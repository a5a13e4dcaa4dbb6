// What the voices of the synthesiser sound like: partials, levels, envelopes, and the room. Pure.

const HIGHEST = [1, 0.42, 0.2, 0.1, 0.05, 0.024, 0.012, 0.006];
const LOWEST = [1, 0.62, 0.4, 0.26, 0.15, 0.09, 0.05, 0.03];

/** 0: the first voice, which is the highest; 1: the last. @param {number} voice @param {number} voices */
const depth = (voice, voices) => (voices > 1 ? voice / (voices - 1) : 0.3);

/**
 * The strengths of a voice's partials, the fundamental first. Lower voices are richer; every other voice is a bit
 * hollow, so that neighbours can be told apart.
 * @param {number} voice
 * @param {number} voices
 */
export function partials(voice, voices) {
  const deep = depth(voice, voices);
  return HIGHEST.map((high, at) => {
    const hollow = voice % 2 && at % 2 ? 0.55 : 1;
    return (at ? hollow : 1) * (high + deep * (LOWEST[at] - high));
  });
}

/** Where a voice stands, from left (-1) to right (1). @param {number} voice @param {number} voices */
export const panOf = (voice, voices) => 0.7 * (depth(voice, voices) - 0.5) * (voice % 2 ? 1 : 0.8);

/** @param {number} pitch */
export const frequency = (pitch) => 440 * 2 ** ((pitch - 69) / 12);

/** How loud a pitch is played: the ear hears low ones less. @param {number} pitch */
export const level = (pitch) => 0.125 * Math.max(0.75, Math.min(1.45, 1 + 0.012 * (62 - pitch)));

/** Above which frequency a note is dulled. @param {number} pitch */
export const brightness = (pitch) => Math.min(7000, 900 + 5 * frequency(pitch));

/** Seconds, and the share of the level at which a note is held.
 * @typedef {{ attack: number, fade: number, hold: number, release: number }} Envelope */

/** Lower voices speak more slowly. @param {number} voice @param {number} voices @returns {Envelope} */
export function envelope(voice, voices) {
  const deep = depth(voice, voices);
  return { attack: 0.022 + 0.022 * deep, fade: 0.35, hold: 0.66, release: 0.07 + 0.02 * deep };
}

/**
 * What a small hall answers to a clap, on two channels: noise that dies away, the high part of it first. It is the same
 * every time.
 * @param {number} rate samples per second
 * @param {number} [seconds]
 */
export function room(rate, seconds = 1.7) {
  let seed = 20_231;
  const noise = () => (seed = (1_103_515_245 * seed + 12_345) % 2_147_483_648) / 1_073_741_824 - 1;
  return [0, 1].map((side) => {
    const samples = new Float32Array(Math.round(rate * seconds));
    const begins = Math.round(rate * (0.011 + 0.004 * side));
    let last = 0;
    let energy = 0;
    for (let at = begins; at < samples.length; at++) {
      const passed = (at - begins) / rate;
      const dull = Math.exp((-2 * Math.PI * (4200 * Math.exp(-2.2 * passed) + 500)) / rate);
      last = (1 - dull) * noise() + dull * last;
      samples[at] = last * Math.min(1, passed / 0.008) * Math.exp((-6.9 * passed) / seconds);
      energy += samples[at] ** 2;
    }
    return samples.map((one) => one / Math.sqrt(energy || 1));
  });
}

/** The last safeguard against clipping: what is loud is bent, never cut off. @param {number} [size] */
export function bend(size = 2049) {
  return Float32Array.from({ length: size }, (_, at) => 1.2 * Math.tanh((2 * at) / (size - 1) - 1));
}
