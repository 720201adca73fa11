/** Words of a benchmark's command line. */
import { parseArgs } from 'node:util';

const { values } = parseArgs({
  options: {
    /** Smaller sets. */
    quick: { type: 'boolean', default: false },
    /** Only the measurements of this name. */
    only: { type: 'string' },
    /** A server's data folder that is kept from run to run. */
    data: { type: 'string' },
    /** Another checkout of Quern, measured in turns with this one. */
    before: { type: 'string' },
    /** TPC-H's scale factor. */
    scale: { type: 'string', default: '0.02' },
    /** `on`: datasets are asked with the domain packs that their documents speak; `off`; `both`, in turns. */
    packs: { type: 'string', default: 'on' },
    explain: { type: 'boolean', default: false },
    /** Measures `select 1` of the main job alone. */
    'select-one': { type: 'boolean', default: false },
  },
});

export const options = values;
