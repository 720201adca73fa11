/**
 * Texts that would run, load, lead away or lie where a page took them for more than text: one of them stands in each place of
 * `hostile-world.ts`, another at each seed. Each names its place, by which it is found on the page.
 */

/** Nothing on a page has it, unless a text became markup. */
export const MARK = 'data-hostile';

/** A function of the window: a text that calls it was taken for script. */
export const CANARY = 'quernRan';

export const ELSEWHERE = 'far.example';

const FAR = `//${ELSEWHERE}`;

/** `what` is the place. Names of SQL have 63 bytes. */
const SHAPES: readonly ((what: string) => string)[] = [
  (what) => `<img ${MARK} src=x onerror=${CANARY}()>${what}`,
  (what) => `</script><script ${MARK}>${CANARY}()</script>${what}`,
  (what) => `"'><svg ${MARK} onload=${CANARY}()>${what}`,
  (what) => `<a ${MARK} href="javascript:${CANARY}()">${what}</a>`,
  (what) => `javascript:${CANARY}()//${what}`,
  (what) => `[${what}](javascript:${CANARY}())![](${FAR})`,
  (what) => `<iframe ${MARK} src="${FAR}">${what}`,
  (what) => `{{constructor.constructor('${CANARY}()')()}}${what}`,
  (what) => `\${${CANARY}()} #{${CANARY}()} <%=${CANARY}()%> ${what}`,
  (what) => `<style ${MARK}>@import"${FAR}"</style>${what}`,
  (what) => `<base ${MARK} href=${FAR}/>${what}`,
  (what) => `'+${CANARY}()+'\\";${CANARY}();//${what}`,
  (what) => `${what}\u202egnp.\u2066exe`,
  (what) => `<math><mi ${MARK} xlink:href=javascript:1>${what}`,
  (what) => `&lt;b ${MARK}&gt;&#60;i&#62; ${what}`,
  (what) => `https://${ELSEWHERE}/?${what}`,
  (what) => `%3Cb ${MARK}%3E%2F..%2F ${what} +&?#`,
];

/** Names that every object of JavaScript answers to. */
export const OBJECT_NAMES = ['__proto__', 'constructor', 'toString'] as const;

/** The text of a place: by and by, with the seed, each shape stands in each. */
export class HostileTexts {
  readonly #seed: number;
  readonly #byPlace = new Map<string, string>();

  constructor(seed: number) {
    this.#seed = seed;
  }

  /** @param place few letters: a name of SQL is to hold it. */
  at(place: string): string {
    let text = this.#byPlace.get(place);
    if (text === undefined) {
      const shape = SHAPES[(this.#seed + this.#byPlace.size) % SHAPES.length] as (what: string) => string;
      text = shape(place);
      this.#byPlace.set(place, text);
    }
    return text;
  }

  /** For a place where dots lead into structs. */
  field(place: string): string {
    return this.at(place).replaceAll('.', '');
  }

  /** All shapes, for a place of which there are many. */
  all(place: string): readonly string[] {
    return SHAPES.map((shape, i) => shape(`${place}${i}`));
  }
}
