/** Attacks through doors, and whether they changed anything. */
import { startFreshServer } from '../clients/program.ts';
import type { ServerProcess } from '../../scripts/server-process.ts';
import type { Door } from './doors.ts';
import { Witness } from './state.ts';
import { type Attack, Attacker } from './texts.ts';
import { makeWorld } from './world.ts';

/** An attack after which something was not as before. */
export interface Breach {
  readonly door: string;
  readonly attacks: readonly Attack[];
  /** Lines of the state that came, or went. */
  readonly changed: readonly string[];
}

export interface Outcome {
  readonly texts: number;
  /** Texts that were answered without an error. */
  readonly answered: number;
  readonly breaches: readonly Breach[];
}

export interface Besieged extends AsyncDisposable {
  readonly server: ServerProcess;
  readonly witness: Witness;
  attacks(seed: number, count: number): readonly Attack[];
}

/** A server with all that may be attacked, and somebody who works on it. */
export async function besieged(): Promise<Besieged> {
  const server = await startFreshServer();
  const { host, port, key: password } = server;
  const witness = await Witness.connect({ host, port, user: 'quern', database: 'quern', password });
  const target = await makeWorld(server, witness.victim);
  await witness.work();
  return {
    server,
    witness,
    attacks: (seed, count) => new Attacker(seed, target).attacks(count),
    async [Symbol.asyncDispose]() {
      await witness[Symbol.asyncDispose]();
      await server[Symbol.asyncDispose]();
    },
  };
}

interface Doors {
  readonly doors: readonly (readonly [name: string, door: Door])[];
  readonly witness: Witness;
}

/**
 * Each attack goes through one door, the doors taking turns.
 *
 * @param batch attacks between two looks at the state; a breach names all of its batch.
 * @param breachesMax as many end it.
 */
export async function attack(
  attacks: readonly Attack[],
  { doors, witness }: Doors,
  { batch, breachesMax = 5 }: { readonly batch: number; readonly breachesMax?: number },
): Promise<Outcome> {
  const breaches: Breach[] = [];
  let texts = 0;
  let answered = 0;
  let before = await witness.state();
  for (let from = 0; from < attacks.length && breaches.length < breachesMax; from += batch * doors.length) {
    for (const [turn, [name, door]] of doors.entries()) {
      const some = attacks.slice(from + turn * batch, from + (turn + 1) * batch);
      for (const attempt of some.flat()) {
        texts++;
        if ((await door.send(attempt)) === null) answered++;
      }
      const after = await witness.state();
      const changed = differences(before, after);
      if (changed.length > 0) breaches.push({ door: name, attacks: some, changed });
      before = after;
    }
  }
  return { texts, answered, breaches };
}

function differences(before: readonly string[], after: readonly string[]): string[] {
  const [old, now] = [new Set(before), new Set(after)];
  return [...before.filter((line) => !now.has(line)), ...after.filter((line) => !old.has(line))];
}
