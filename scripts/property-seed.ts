/**
 * The seed of all properties that name none: `./scripts/test` tells one of the tree that it tests, so that a tree that
 * passes once passes again. A test file that is run by itself has a new seed each time.
 */
import fc from 'fast-check';

const { QUERN_PROPERTY_SEED } = process.env;
if (QUERN_PROPERTY_SEED !== undefined) fc.configureGlobal({ seed: Number(QUERN_PROPERTY_SEED) });
