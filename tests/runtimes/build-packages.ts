// Before the tests, since what users get is what is built.
export { buildPackages as setup } from '../../scripts/release/build-packages.ts'
