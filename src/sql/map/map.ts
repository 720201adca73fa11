/** The mapper's door: the grammar's tree as ours. Nothing of the grammar's is left in what comes out. */
import type { Dialect } from '../parse/dialect.ts';
import type { pg } from '../parse/grammar.ts';
import type { Source } from '../parse/source.ts';
import { mapDelete, mapInsert, mapUpdate } from './changes.ts';
import { as, MapContext, type Mappers } from './context.ts';
import { mapAnyExpr } from './expressions.ts';
import { mapMerge } from './merge.ts';
import { mapAnyQuery } from './queries.ts';
import { mapAnyStatement } from './statements.ts';

const MAPPERS: Mappers = {
  expression: mapAnyExpr,
  query: mapAnyQuery,
  write: mapAnyWrite,
  statement: mapAnyStatement,
};

/** For the statements of one text. */
export const newMapContext = (
  source: Source,
  dialect: Dialect,
  mapFields: MapContext['mapFields'],
): MapContext => new MapContext({ source, dialect, mappers: MAPPERS, mapFields });

function mapAnyWrite(context: MapContext, node: pg.Node | undefined): ReturnType<Mappers['write']> {
  const insert = as(node, 'InsertStmt');
  if (insert !== null) return mapInsert(context, insert);
  const update = as(node, 'UpdateStmt');
  if (update !== null) return mapUpdate(context, update);
  const removal = as(node, 'DeleteStmt');
  if (removal !== null) return mapDelete(context, removal);
  const merge = as(node, 'MergeStmt');
  return merge === null ? null : mapMerge(context, merge);
}
