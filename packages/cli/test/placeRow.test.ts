import type { OperatorNetwork } from "@bursar/api/operator/OperatorNetwork"
import type { PlaceObservation } from "@bursar/api/operator/OperatorReconciliation"
import { assert, it } from "@effect/vitest"
import { placeRow } from "../src/commands/placeRow.ts"

const at = "2026-11-23T13:34:56.164Z"

const observed: PlaceObservation = {
  place: "chain:ethereum:payouts",
  kind: "payout_wallets",
  currency: "ETH",
  observation: "observed",
  ledger: { amount: "5", currency: "ETH" },
  in_flight: { amount: "0", currency: "ETH" },
  in_flight_least: { amount: "0", currency: "ETH" },
  in_flight_most: { amount: "0", currency: "ETH" },
  observed: { amount: "5", currency: "ETH" },
  difference: { amount: "0", currency: "ETH" },
  block_number: 14,
  block_hash: "0x14",
  observed_at: at
}

const read: OperatorNetwork = {
  network: "ethereum",
  enabled: true,
  environment: "LIVE",
  explorer: null,
  confirmations: 3,
  watcher_status: "FOLLOWING",
  height: 14,
  scanned_height: 14,
  lag_blocks: 0,
  problem: null,
  notice: null,
  nodes: [],
  updated_at: at,
  payouts_enabled: true,
  payouts_off_reason: null,
  payouts_switched_by: null,
  payouts_switched_at: null
}

it("says when a place was compared, and that it is compared no more where its network is off or is not read", () => {
  const shownWith = (...networks: ReadonlyArray<OperatorNetwork>) => placeRow(observed, networks).at
  assert.strictEqual(shownWith(read), `${at}, block 14`)
  assert.strictEqual(shownWith({ ...read, watcher_status: "STALLED" }), `${at}, block 14, ethereum is not read now`)
  assert.strictEqual(shownWith({ ...read, enabled: false, watcher_status: "OFF" }), `${at}, block 14, ethereum is off`)
  // one that was configured and is no more
  assert.strictEqual(shownWith({ ...read, network: "base" }), `${at}, block 14, ethereum is off`)
  const atBank = { ...observed, place: "bank:bridge", kind: "bank", block_number: null, block_hash: null } as const
  assert.strictEqual(placeRow(atBank, []).at, at)
})
