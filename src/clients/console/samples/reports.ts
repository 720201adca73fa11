/** The other sample: two reports of public statistics as a dataset, to be asked. Links to the files stand in `public/`. */
import { addressOf } from '../server/address.ts';
import { StatementError } from '../server/messages.ts';
import { sendData } from '../server/send-data.ts';
import { run } from '../server/statement.ts';

const CREATE_REPORTS = `CREATE DATASET reports WITH (description = 'Two reports of the National Center for Education Statistics')`;

const UPLOAD = "SELECT quern.upsert_file('reports', $2, $3, $1::bytea)";

const FILES = ['borrowing-for-graduate-school', 'school-enrollment-projections'];

/** They are read by the server in the background. @throws StatementError 42P06 where there is a dataset `reports`. */
export async function loadReports(signal: AbortSignal = new AbortController().signal): Promise<void> {
  await run(CREATE_REPORTS, { signal });
  for (const name of FILES) {
    const response = await fetch(addressOf(`${name}.pdf`), { signal });
    if (!response.ok) {
      throw new StatementError({
        message: `A report was not found (${response.status}).`,
        sqlstate: '58P01',
      });
    }
    const params = [name, `${name}.pdf`];
    await sendData(await response.blob(), { statement: UPLOAD, params, onBytes: () => undefined, signal });
  }
}
