import { assert, it } from "@effect/vitest"
import { isTroubled } from "../src/screens/isTroubled.ts"

it("a network of which the worker says nothing any more needs somebody, though it told of no problem", () => {
  const well = { payouts_enabled: true, problem: null, watcher_status: "FOLLOWING" } as const
  assert.isFalse(isTroubled(well))
  assert.isFalse(isTroubled({ ...well, watcher_status: "CATCHING_UP" }))
  assert.isTrue(isTroubled({ ...well, watcher_status: "STALLED" }))
  assert.isTrue(isTroubled({ ...well, problem: "The node does not answer." }))
  assert.isTrue(isTroubled({ ...well, payouts_enabled: false }))
  // one that nobody reads has nothing to be late with
  assert.isFalse(isTroubled({ payouts_enabled: false, problem: null, watcher_status: "OFF" }))
})
