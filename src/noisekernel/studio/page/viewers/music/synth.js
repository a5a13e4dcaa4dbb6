// A small synthesiser on the Web Audio API: a few partials for each voice, a room, a compressor.

/** @import { Sounding } from "./schedule.js" */

import { bend, brightness, envelope, frequency, level, panOf, partials, room } from "./timbre.js";

/** @typedef {ReturnType<typeof synth>} Synth */
/** @typedef {ReturnType<Synth["session"]>} Session */

/** The oscillators of a note: its pitch, and a softer one beside it, by which it is alive. Were both as loud, they
 * would silence each other again and again. */
const TONES = [{ cents: 0, share: 0.78 }, { cents: 5, share: 0.22 }];
const FADE = 0.03; // seconds in which voices are turned on and off

/** @param {BaseAudioContext} context */
export function synth(context) {
  const into = hall(context);
  /** @type {Map<string, PeriodicWave>} */
  const waves = new Map();

  /** @param {number} voice @param {number} voices */
  function waveOf(voice, voices) {
    const key = `${voice} ${voices}`;
    const known = waves.get(key);
    if (known) return known;
    const strengths = partials(voice, voices);
    const imaginary = new Float32Array([0, ...strengths]);
    const made = context.createPeriodicWave(new Float32Array(imaginary.length), imaginary);
    waves.set(key, made);
    return made;
  }

  /**
   * Something that is played, which can be stopped without stopping anything else.
   * @param {boolean[]} heard which of its voices are turned on
   */
  function session(heard) {
    const voices = heard.length;
    const bus = context.createGain();
    bus.connect(into);
    const desks = heard.map((on, voice) => {
      const gain = context.createGain();
      gain.gain.value = on ? 1 : 0;
      const pan = context.createStereoPanner();
      pan.pan.value = panOf(voice, voices);
      gain.connect(pan).connect(bus);
      return gain;
    });
    /** @type {Set<OscillatorNode>} */
    const sounding = new Set();

    /** @param {Sounding} note `at` on the clock of the context */
    function play({ voice, pitch, at, lasts }) {
      const { attack, fade, hold, release } = envelope(voice, voices);
      const from = Math.max(at, context.currentTime);
      const to = Math.max(from + attack, at + lasts - 0.015);
      const top = level(pitch);
      const shape = context.createGain();
      shape.gain.setValueAtTime(0, from);
      shape.gain.linearRampToValueAtTime(top, from + attack);
      shape.gain.setTargetAtTime(hold * top, from + attack, fade);
      shape.gain.setTargetAtTime(0, to, release);
      const dull = context.createBiquadFilter();
      dull.type = "lowpass";
      dull.Q.value = 0.3;
      dull.frequency.setValueAtTime(1.5 * brightness(pitch), from);
      dull.frequency.setTargetAtTime(brightness(pitch), from + attack, fade);
      shape.connect(dull).connect(desks[voice]);
      for (const { cents, share } of TONES) {
        const tone = context.createOscillator();
        const part = context.createGain();
        part.gain.value = share;
        tone.setPeriodicWave(waveOf(voice, voices));
        tone.frequency.value = frequency(pitch);
        tone.detune.value = cents;
        tone.connect(part).connect(shape);
        tone.start(from);
        tone.stop(to + 8 * release);
        sounding.add(tone);
        tone.onended = () => {
          sounding.delete(tone);
          part.disconnect();
          if (!cents) dull.disconnect();
        };
      }
    }

    /** Turn voices on and off. @param {boolean[]} on */
    function mix(on) {
      desks.forEach((gain, voice) => gain.gain.setTargetAtTime(on[voice] ? 1 : 0, context.currentTime, FADE));
    }

    /** Silence, without a click. */
    function stop() {
      const now = context.currentTime;
      bus.gain.setTargetAtTime(0, now, FADE);
      for (const tone of sounding) tone.stop(now + 8 * FADE);
      setTimeout(() => bus.disconnect(), 400);
    }
    return { play, mix, stop };
  }
  return { session };
}

/** What everything goes through: the room, the compressor, the safeguard. @param {BaseAudioContext} context */
function hall(context) {
  const into = context.createGain();
  const air = context.createConvolver();
  const samples = room(context.sampleRate);
  const answer = context.createBuffer(2, samples[0].length, context.sampleRate);
  samples.forEach((channel, at) => answer.copyToChannel(channel, at));
  air.normalize = false;
  air.buffer = answer;
  const wet = context.createGain();
  wet.gain.value = 0.3;
  const press = context.createDynamicsCompressor();
  Object.entries({ threshold: -16, knee: 14, ratio: 3, attack: 0.008, release: 0.22 }).forEach(([name, value]) =>
    (press[/** @type {"threshold" | "knee" | "ratio" | "attack" | "release"} */ (name)].value = value));
  const guard = context.createWaveShaper();
  guard.curve = bend();
  into.connect(press);
  into.connect(air).connect(wet).connect(press);
  press.connect(guard).connect(context.destination);
  return into;
}
