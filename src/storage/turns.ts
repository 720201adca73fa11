/** Work that must not cross itself: one at a time, in the order in which it came. */
export class Turns {
  #last: Promise<unknown> = Promise.resolve();

  run<Result>(work: () => Promise<Result>): Promise<Result> {
    const done = this.#last.then(work);
    // Whoever asked for it hears of it.
    this.#last = done.catch(() => {});
    return done;
  }
}
