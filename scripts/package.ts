/**
 * Makes the npm package `quern`, in FOLDER/quern and packed beside it: programs compiled by tsc, models, samples and
 * notices, laid out as in the checkout. Installing it compiles nothing and asks no host but the npm registry
 * (docs/install.md). `./scripts/package` sets everything up and calls this.
 *
 *     node scripts/package.ts [FOLDER]       dist, unless it is given
 */
import { execFileSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';

const ROOT = join(import.meta.dirname, '..');
const SOURCES = join(import.meta.dirname, 'packaging');
const OUT = resolve(process.argv[2] ?? join(ROOT, 'dist'));
const PACKAGE = join(OUT, 'quern');

/** Fields of the checkout's package.json that the package has too. */
const FIELDS: readonly string[] = [
  ...['name', 'version', 'description', 'license', 'type', 'engines', 'bin'],
  ...['peerDependencies', 'peerDependenciesMeta'],
];
const FILES = ['bin', 'build/kernels.wasm', 'domains', 'samples', 'scripts/models/e5.sh', 'LICENSE'];
/** Where it was built. */
const CONSOLE = 'build/console';

/**
 * Goes inside the package. As the registry has it, its install script fetches 300 MB for NVIDIA's cards from another
 * host, without which the installation fails; and it comes with the libraries of all systems.
 */
const RUNTIME = 'onnxruntime-node';
/** Where Quern runs. */
const PLATFORMS = ['linux/x64', 'linux/arm64', 'darwin/arm64'];
/** The same library under its whole version, which nothing loads. */
const IS_SECOND_COPY = /\.\d+\.\d+\.\d+\.dylib$/;

interface Manifest {
  readonly version: string;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly [field: string]: unknown;
}

const manifestIn = (folder: string): Manifest =>
  JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest;

const writeManifest = (folder: string, manifest: object): void =>
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);

const picked = (manifest: Manifest, fields: readonly string[]): object =>
  Object.fromEntries(fields.filter((name) => name in manifest).map((name) => [name, manifest[name]]));

function copy(from: string, to: string, paths: readonly string[]): void {
  for (const path of paths) {
    cpSync(join(from, path), join(to, path), {
      recursive: true,
      filter: (file) => !IS_SECOND_COPY.test(file),
    });
  }
}

/** Those that git ignores are made where they are wanted (docs/models.md). */
function models(): string[] {
  const ignored = readFileSync(join(ROOT, '.gitignore'), 'utf8').split('\n');
  return readdirSync(join(ROOT, 'models'))
    .map((name) => `models/${name}`)
    .filter((path) => !ignored.includes(`/${path}`));
}

function compile(): void {
  const config = join(SOURCES, 'tsconfig.json');
  execFileSync(join(ROOT, 'node_modules/.bin/tsc'), ['-p', config, '--outDir', PACKAGE], {
    stdio: 'inherit',
  });
  for (const file of globSync(join(PACKAGE, 'src/**/*.js'))) checkPrograms(file);
}

/** @throws Error naming a program that the file starts in a thread or process, and that was not compiled. */
function checkPrograms(file: string): void {
  for (const [, name] of readFileSync(file, 'utf8').matchAll(/programFile\('([^']+)'/g)) {
    const program = join(dirname(file), `${name}.js`);
    if (existsSync(program)) continue;
    throw new Error(`${relative(PACKAGE, program)} is missing: name it in scripts/packaging/tsconfig.json`);
  }
}

/** Names to the versions that the tests have run with: the next one of a package is the next one's of Quern. */
function tested({ dependencies }: Manifest): Readonly<Record<string, string>> {
  const version = (name: string): string => manifestIn(join(ROOT, 'node_modules', name)).version;
  return Object.fromEntries(Object.keys(dependencies).map((name) => [name, version(name)]));
}

/** @returns what the package depends on for it: name to version. */
function bundleRuntime(): Readonly<Record<string, string>> {
  const from = join(ROOT, 'node_modules', RUNTIME);
  const to = join(PACKAGE, 'node_modules', RUNTIME);
  const libraries = PLATFORMS.map((platform) => `bin/napi-v6/${platform}`);
  copy(from, to, ['README.md', ...globSync('dist/*.js', { cwd: from }), ...libraries]);
  const manifest = manifestIn(from);
  const dependencies = { 'onnxruntime-common': manifest.version };
  const fields = ['name', 'version', 'description', 'license', 'author', 'repository', 'main'];
  writeManifest(to, { ...picked(manifest, fields), dependencies });
  return dependencies;
}

function build(): void {
  rmSync(PACKAGE, { recursive: true, force: true });
  mkdirSync(PACKAGE, { recursive: true });
  compile();
  copy(ROOT, PACKAGE, [...FILES, ...models(), ...(existsSync(join(ROOT, CONSOLE)) ? [CONSOLE] : [])]);
  copy(SOURCES, PACKAGE, ['README.md', 'NOTICE']);
  const manifest = manifestIn(ROOT);
  writeManifest(PACKAGE, {
    ...picked(manifest, FIELDS),
    os: [...new Set(PLATFORMS.map((platform) => dirname(platform)))],
    dependencies: { ...tested(manifest), ...bundleRuntime() },
    bundleDependencies: [RUNTIME],
  });
}

/** @returns its path. */
function pack(): string {
  const args = ['pack', '--silent', '--pack-destination', OUT, PACKAGE];
  return join(OUT, execFileSync('npm', args, { encoding: 'utf8' }).trim());
}

const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`;

build();
const packed = pack();
const files = readdirSync(PACKAGE, { recursive: true, encoding: 'utf8' })
  .map((name) => statSync(join(PACKAGE, name)))
  .filter((file) => file.isFile());
const unpackedBytes = files.reduce((sum, { size }) => sum + size, 0);
const sizes = `${megabytes(statSync(packed).size)} packed, ${megabytes(unpackedBytes)} in ${files.length} files`;
process.stdout.write(`${packed}: ${sizes}\n`);
