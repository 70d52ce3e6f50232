/**
 * Contract suites of the ports, generators and fixtures. Import each by its own path, such as
 * `@bursar/testkit/suites/storageSuite`: the suites load vitest, the fixtures do not.
 */
export * from "./fixtures/FakeChain.ts"
export * from "./fixtures/transfers.ts"
