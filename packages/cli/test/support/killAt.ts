import { type At, provisioningPlaces, sendingPlaces, sweepPlaces } from "@bursar/testkit/fixtures/Places"
import { Effect } from "effect"

/** The environment variable that names the place at which `hurriedWorker` kills itself. No program that is installed knows it. */
export const killAtVariable = "BURSAR_TEST_KILL_AT"

/** Kills the process at a place, as a crash would; at none where no text is given. A text that is no place is a mistake and throws. */
export const killAt = (text: string | undefined): At => {
  const armed = [...sendingPlaces, ...provisioningPlaces, ...sweepPlaces].find((one) => one === text)
  if (text !== undefined && armed === undefined) throw new Error(`${text} is no place to be killed at`)
  return (place) => (place === armed ? Effect.sync(() => process.kill(process.pid, "SIGKILL")) : Effect.void)
}
