/** The right to make tables and datasets: who lacks it is told so, instead of how they are made. */
import { useRows } from './use-rows.ts';

const MAY = {
  table: "SELECT has_schema_privilege(current_schema(), 'CREATE') AS may",
  dataset: "SELECT has_database_privilege(current_database(), 'CREATE') AS may",
};

/** True while it is not known. */
export const useMayCreate = (what: keyof typeof MAY): boolean =>
  useRows<{ readonly may: boolean }>(MAY[what]).value?.[0]?.may !== false;
