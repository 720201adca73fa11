/** Questions over made statements, written as seven countries write: none wrong, and what is clear given. */
import { answered, type Outcome } from '../../sql-tests/tables/answered.ts';
import { madeCase } from '../../sql-tests/tables/made-question.ts';
import { share } from './bands.ts';

const CASES = 20_000;
const QUICK_CASES = 1_000;

type Counts = Record<Outcome, number>;

const none = (): Counts => ({ right: 0, wrong: 0, 'not given': 0, 'rightly not given': 0 });

export async function generated(quick: boolean): Promise<void> {
  const formats = new Map<string, Counts>();
  const count = quick ? QUICK_CASES : CASES;
  for (let seed = 0; seed < count; seed++) {
    const made = madeCase(seed);
    const { outcome, text } = await answered(made);
    const counts = formats.get(made.style) ?? none();
    counts[outcome]++;
    formats.set(made.style, counts);
    if (outcome === 'wrong') console.log(`  wrong, ${seed}: ${made.question} ${made.answer}, not ${text}`);
  }
  console.log(
    `${count} made questions over statements as ${formats.size} countries write them (bar: 0 wrong, 0.950)`,
  );
  for (const [format, { right, wrong, ...rest }] of formats) {
    const given = share(right, right + rest['not given']);
    console.log(
      `  ${format}: ${wrong} wrong, ${given} of what is clear given, ${rest['rightly not given']} rightly not`,
    );
  }
}
