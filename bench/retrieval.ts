/**
 * The bars of retrieval, peers and Quern in one run. `--quick`: smaller sets; `--only PART`: one of PARTS.
 */
import { options } from './options.ts';
import { startPeers } from './peers.ts';
import { kinds } from './retrieval/kinds.ts';
import { keyword } from './retrieval/keyword.ts';
import { embedding } from './retrieval/embedding.ts';
import { hybrid } from './retrieval/hybrid.ts';
import { million } from './retrieval/million.ts';
import { neighbours } from './retrieval/neighbours.ts';
import { partitions } from './retrieval/partitions.ts';
import { quality } from './retrieval/quality.ts';
import { writes } from './retrieval/writes.ts';

const { quick, only } = options;

const PARTS = {
  neighbours,
  writes,
  kinds,
  million,
  keyword,
  hybrid,
  quality,
  embedding,
  partitions,
} as const;

await using peers = await startPeers({ shared_buffers: '2GB', max_connections: '100' });
for (const [name, part] of Object.entries(PARTS)) {
  if (only === undefined || only === name) await part(peers, quick);
}
