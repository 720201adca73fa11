/**
 * The end of a query level that ranks: every `bm25_score()` becomes a sum of score arms, every `explain_score()` the
 * JSON of what the level's arms tell.
 */
import { present } from '../../../assert.ts';
import { SqlError } from '../../../errors.ts';
import type { Arm } from '../../../plan/plan.ts';
import { callFunction } from '../expression/arguments.ts';
import { operate } from '../expression/operators.ts';
import {
  type Draft,
  type Expression,
  FLOAT,
  JSONB,
  literal,
  sameExpression,
  type ScanDraft,
  TEXT,
} from '../draft.ts';
import type { Level, LevelArm, RankingArm, ScoreCall } from '../level.ts';
import type { ColumnInfo } from '../state.ts';
import { armColumn } from './ranking.ts';

/** @throws SqlError 42809 where there is nothing to score. */
export function finishRanking(level: Level): void {
  for (const call of level.scoreCalls) {
    const bound = call.name === 'bm25_score' ? scoreOf(level, call) : explanationOf(level, call);
    level.state.substitutes.set(call.id, bound);
  }
}

function scoreOf(level: Level, call: ScoreCall): Expression {
  const [first, ...others] = level.keywordArms.map(({ scan, arm }): Expression => {
    const column = columnOf(level, scan, { ...arm, b: call.b, k1: call.k1, output: 'score' });
    return { kind: 'coalesce', args: [column, literal(0, FLOAT)], type: FLOAT };
  });
  if (first === undefined) throw nothingToScore(call, 'a keyword predicate');
  return others.reduce((left, right) => operate(level, { operator: '+', left, right, at: 0 }), first);
}

/** `{"score": …, "predicates": […], "rankings": […]}`; the score is that of `bm25_score()`. */
function explanationOf(level: Level, call: ScoreCall): Expression {
  const { keywordArms } = level;
  const rankings = level.rankingArms.filter(isFirst);
  if (keywordArms.length + rankings.length === 0) {
    throw nothingToScore(call, 'a keyword predicate, bm25() or semantic_similarity()');
  }
  const build = (name: string, args: readonly Expression[]): Expression =>
    callFunction(level, { name: `jsonb_build_${name}`, args, at: call.at });
  const members: Expression[] = [];
  const add = (key: string, value: Expression): number => members.push(literal(key, TEXT), value);
  if (keywordArms.length > 0) {
    add('score', scoreOf(level, call));
    const arms = keywordArms.map(({ scan, arm }) => ({ scan, arm: { ...arm, b: call.b, k1: call.k1 } }));
    add(
      'predicates',
      build(
        'array',
        arms.map((one) => toldOf(level, one)),
      ),
    );
  }
  if (rankings.length > 0)
    add(
      'rankings',
      build(
        'array',
        rankings.map((one) => toldOf(level, one)),
      ),
    );
  return build('object', members);
}

const isFirst = (
  { scan, arm }: LevelArm<RankingArm>,
  i: number,
  all: readonly LevelArm<RankingArm>[],
): boolean => all.findIndex((other) => other.scan === scan && sameExpression(other.arm, arm)) === i;

/** Where the query is NULL, or an outer join has no row, nothing was asked. */
function toldOf(level: Level, { scan, arm }: LevelArm<RankingArm>): Expression {
  const name = arm.kind === 'keyword' ? arm.operator : 'semantic_similarity';
  const column = columnOf(level, scan, { ...arm, output: 'explained' });
  const nothing = literal(`{"score": ${arm.kind === 'keyword' ? 0 : 'null'}, "function": "${name}"}`, JSONB);
  return { kind: 'coalesce', args: [column, nothing], type: JSONB };
}

function columnOf(level: Level, scan: ScanDraft, arm: Arm<Draft>): Expression {
  return armColumn(level, scan, present(scanInfo(level, scan), 'scan of a ranking'), arm);
}

function scanInfo(level: Level, scan: ScanDraft): ColumnInfo | undefined {
  for (const info of level.state.columns.values()) if (info.scan === scan) return info;
  return undefined;
}

function nothingToScore({ name, at }: ScoreCall, wanted: string): SqlError {
  return new SqlError('wrong_object_type', `${name}() needs ${wanted} in the same query`, {
    position: at,
    hint: `Ask for words in a filter: SELECT ${name}() FROM books WHERE match('whale').`,
  });
}
