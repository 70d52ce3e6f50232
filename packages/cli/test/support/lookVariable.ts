/** The environment variable that says how often `hurriedWorker` looks at networks, in milliseconds. No program that is installed knows it. */
export const lookVariable = "BURSAR_TEST_LOOK_MS"
