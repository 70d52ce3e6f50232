import type { GrantKind, GrantValues } from "@bursar/core/grant/GrantDocument"
import { fleetKinds } from "@bursar/core/grant/GrantDocument"
import { policyValues } from "@bursar/core/grant/PolicyValues"
import { fleetGenesis, type GrantEntry, tenantGenesis, verifyFleet, verifyTenant } from "@bursar/core/grant/verifyChain"
import { defaultPolicy } from "@bursar/core/tenant/Tenant"
import {
  approvedBy,
  documentOn,
  grantTenant,
  proposedAt,
  type TestApprover,
  testApprover,
  testRoot,
  testTrust
} from "@bursar/testkit/fixtures/grants"
import { Effect } from "effect"
import { toIso } from "@bursar/core/base/Timestamp"

/** A destination of a currency that may be used at once. */
export const destination = (id: string, currency: string): GrantValues<"destination"> => ({
  id,
  currency,
  network: "ethereum",
  address: "0x71C7656EC7ab88b098defB751B7401B5f6d8976F",
  memo: null,
  label: "Treasury",
  usable_from: toIso(proposedAt + 24 * 3_600_000),
  state: "ACTIVE"
})

export const signingKey: GrantValues<"signing_key"> = {
  api_key_id: "AAAAAAAA",
  keyid: "poqkLGiymh_W0uP6PZFw-dvez3QJT5SolqXBCW38r0U",
  public_key: "JrQLj5P_89iXES9-vFgrIy29clF9CC_oPPsw3c5D0bs",
  state: "ACTIVE"
}

/** An API key of a live tenant. */
export const apiKey: GrantValues<"api_key"> = {
  id: "AAAAAAAA",
  label: "intake",
  prefix: "bsr_live_AAAAAAAA",
  hash: "ab".repeat(32),
  scopes: ["deposits:read"],
  expires_at: null,
  environment: "LIVE",
  state: "ACTIVE"
} as never // all that a key has

/** A fleet and a tenant whose chains grow as a test says, verified at each step. */
export const world = Effect.fnUntraced(function* () {
  const ann = yield* testApprover("ann", 1)
  const bob = yield* testApprover("bob", 2)
  const cleo = yield* testApprover("cleo", 3)
  const root = testRoot([ann, bob, cleo], 2)
  const trust = testTrust(root)
  const entries = { fleet: new Array<GrantEntry>(), tenant: new Array<GrantEntry>() }
  let fleet = yield* fleetGenesis(root)
  let tenant = yield* tenantGenesis(root, grantTenant)
  const chain = () => ({ fleet, tenant })

  /** Appends an entry to its chain; fails with what is wrong with it. */
  const append = Effect.fnUntraced(function* (entry: GrantEntry, on: "fleet" | "tenant") {
    if (on === "fleet") fleet = yield* verifyFleet(trust, [entry], fleet)
    else tenant = yield* verifyTenant(trust, { tenantId: grantTenant, fleet, entries: [entry], known: tenant })
    entries[on].push(entry)
  })

  const grant = Effect.fnUntraced(function* <K extends GrantKind>(
    kind: K,
    values: GrantValues<K>,
    by: ReadonlyArray<TestApprover>
  ) {
    const entry = yield* approvedBy(documentOn(chain(), kind, values), by)
    yield* append(entry, fleetKinds.has(kind) ? "fleet" : "tenant")
    return entry
  })

  return { ann, bob, cleo, root, trust, entries, chain, append, grant }
})

/** A world of some grants of all kinds. */
export const settled = Effect.fnUntraced(function* () {
  const all = yield* world()
  const two = [all.ann, all.bob]
  yield* all.grant("policy", policyValues({ kind: "SANDBOX", policy: defaultPolicy }), two)
  yield* all.grant("signing_key", signingKey, [all.bob, all.cleo])
  yield* all.grant("destination", destination("d1", "USDC_ETH"), two)
  yield* all.grant("network", { network: "ethereum", stopped: true, reason: "A reorg." }, [all.cleo])
  yield* all.grant("payout_wallet", { network: "ethereum", role: "PAYOUT", address: "0xabc", state: "ACTIVE" }, two)
  yield* all.grant("network", { network: "ethereum", stopped: false, reason: "Over." }, two)
  yield* all.grant("suspension", { suspended: true, reason: "Asked for." }, [all.ann])
  return all
})
