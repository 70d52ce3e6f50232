import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { type Answers, devnetAnswers } from "./support/devnetAnswers.ts"
import { differences, neverTold, shapeOf, shapes } from "./support/shapes.ts"

/** What the local network does not have. */
const lacking = [
  "operation invoke_host_function",
  "operation create_claimable_balance",
  "operation claim_claimable_balance",
  "operation clawback",
  "operation clawback_claimable_balance",
  "operation manage_buy_offer",
  "effect trade"
]

/** Fields that the real ones may leave out and the local network always does, by what it lacks. */
const neverThere: Readonly<Record<string, ReadonlyArray<string>>> = {
  "sponsors and inflation": [
    "account: balances[].sponsor",
    "account: inflation_destination",
    "account: signers[].sponsor",
    "account: sponsor",
    "account_data: sponsor",
    "operation: sponsor",
    "operation set_options: inflation_dest"
  ],
  "pools, and consent but for all of an asset": [
    "account: balances[].liquidity_pool_id",
    "effect trustline_created: liquidity_pool_id",
    "effect trustline_removed: liquidity_pool_id",
    "effect trustline_updated: liquidity_pool_id",
    "effect trustline_flags_updated: authorized_to_maintain_liabilites_flag",
    "effect trustline_flags_updated: clawback_enabled_flag",
    "operation change_trust: liquidity_pool_id"
  ],
  "further conditions of a transaction": [
    "transaction: preconditions.extra_signers",
    "transaction: preconditions.min_account_sequence_age",
    "transaction: preconditions.min_account_sequence_ledger_gap"
  ],
  "contracts and their events": [
    "rpc getLedgerEntries: entries[].liveUntilLedgerSeq",
    "rpc getTransaction: diagnosticEventsXdr",
    "rpc getTransaction: events.contractEventsXdr",
    "rpc getTransaction: events.transactionEventsXdr",
    "rpc sendTransaction: diagnosticEventsXdr"
  ],
  "nothing: Horizon stores this flag under another name, and never shows it": [
    "effect account_flags_updated: auth_revokable_flag"
  ],
  "nothing: only older releases had it": ["problem: instance"]
}

const families = ["operation", "effect"]

/** What any operation, or any effect, may tell: it is enough that one of them does. */
const shared = new Set([
  "account_muxed",
  "account_muxed_id",
  "source_account_muxed",
  "source_account_muxed_id",
  "sponsor"
])

const isShared = (kind: string, field: string): boolean =>
  families.some((family) => kind.startsWith(`${family} `)) && shared.has(field)

/** What no answer tells, by its kind, or its family where any of that may tell it. */
const openIn = (answers: Answers): ReadonlyArray<string> => [
  ...[...answers].flatMap(([kind, all]) =>
    neverTold(shapeOf(kind), all)
      .filter((field) => !isShared(kind, field))
      .map((field) => `${kind}: ${field}`)
  ),
  ...families.flatMap((family) => {
    const kinds = [...answers].filter(([kind]) => kind.startsWith(`${family} `))
    const open = kinds.map(([kind, all]) => neverTold(shapeOf(kind), all))
    const can = (field: string) => kinds.some(([kind]) => `${field}?` in Object(shapeOf(kind)))
    const told = (field: string) =>
      kinds.some(([kind], index) => `${field}?` in Object(shapeOf(kind)) && open[index]?.includes(field) === false)
    return [...shared].filter((field) => can(field) && !told(field)).map((field) => `${family}: ${field}`)
  })
]

describe("the local network beside Horizon and Stellar RPC", () => {
  it.live("answers every question with the fields that the real ones have, of their types, and with no others", () =>
    Effect.gen(function* () {
      const answers = yield* Effect.scoped(devnetAnswers)
      const wrong = [...answers].flatMap(([kind, all]) =>
        all.flatMap((answer) => differences(shapeOf(kind), answer).map((one) => `${kind}: ${one}`))
      )
      assert.deepStrictEqual([...new Set(wrong)], [])
      assert.deepStrictEqual(
        Object.keys(shapes).filter((kind) => !answers.has(kind)),
        lacking
      )
      assert.deepStrictEqual(openIn(answers).toSorted(), Object.values(neverThere).flat().toSorted())
    })
  )
})
