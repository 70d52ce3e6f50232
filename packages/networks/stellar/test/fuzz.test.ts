import type { Transfer } from "@bursar/core/port/Chain"
import { muxed } from "@bursar/stellar"
import { checkMutations, type JsonPath, type JsonValue } from "@bursar/testkit/generators/mutations"
import { assert, layer } from "@effect/vitest"
import { Asset, Keypair, Memo, Operation } from "@stellar/stellar-sdk/base"
import { Cause, Effect, Exit } from "effect"
import { callOver, contract } from "./support/calls.ts"
import { type LedgerSays, saysOf, type Script, scriptedHorizon } from "./support/ScriptedHorizon.ts"
import { type Json, recordsIn } from "./support/TamperingNode.ts"
import { World } from "./support/World.ts"

/** No mutation may make a reader ask for ever: the ledger, its two collections, and the effects of what cannot be read. */
const questionsMax = 30
const runs = 300

const mebibyte = 1024 * 1024

/** The most that is read of a ledger that does not end: 256 MiB of a collection, and the page that goes beyond them. */
const ledgerBytesMax = (256 + 16) * mebibyte

/** What nothing else in the answers speaks of: what contracts moved, and the results of transactions. */
const isUnproven = (path: JsonPath): boolean => path.includes("asset_balance_changes") || path.includes("result_xdr")

const textOf = (transfer: Transfer) =>
  JSON.stringify(transfer, (_, value) => (typeof value === "bigint" ? `${value}` : value))

const noise: ReadonlySet<string> = new Set(["_links", "result_meta_xdr", "fee_meta_xdr", "signatures"])

/** A record without what is long and is not read, so that most mutations are of what is. */
const withoutNoise = (record: Json): Json =>
  Object.fromEntries(Object.entries(record).filter(([name]) => !noise.has(name)))

/** A ledger with something of each kind, as a node tells of it. */
const told = Effect.gen(function* () {
  const { account, chain, devnet, funded, together, usdc } = yield* World
  const accounts = yield* Effect.all(Array.from({ length: 5 }, () => account))
  const [receiver, sender, merged, caller, payer] = accounts
  if (receiver === undefined || sender === undefined || merged === undefined) return assert.fail("no accounts")
  if (caller === undefined || payer === undefined) return assert.fail("no accounts")
  const to = receiver.publicKey()
  const coin = Asset.native()
  const hash = yield* together([
    [
      funded,
      [
        Operation.payment({ destination: to, asset: coin, amount: "1.0000001" }),
        Operation.payment({ destination: muxed(to, 7n), asset: usdc, amount: "2.5" }),
        Operation.manageData({ name: "note", value: "nothing moves here" }),
        Operation.createAccount({ destination: Keypair.random().publicKey(), startingBalance: "3" })
      ],
      { memo: Memo.text("order 9") }
    ],
    [
      sender,
      [
        Operation.pathPaymentStrictSend({
          sendAsset: coin,
          sendAmount: "1.5",
          destination: to,
          destAsset: usdc,
          destMin: "1"
        }),
        Operation.pathPaymentStrictReceive({
          sendAsset: coin,
          sendMax: "2",
          destination: muxed(to, 8n),
          destAsset: usdc,
          destAmount: "0.5"
        })
      ],
      { memo: Memo.id("77"), payer }
    ],
    [
      merged,
      [Operation.changeTrust({ asset: usdc, limit: "0" }), Operation.accountMerge({ destination: muxed(to, 9n) })],
      { memo: Memo.hash("ab".repeat(32)) }
    ],
    [caller, [Operation.bumpSequence({ bumpTo: "0" })]]
  ])
  const { number } = yield* chain.header(devnet.faucet.chain.head().sequence)
  const get = (path: string) =>
    // Horizon answers objects of JSON.
    Effect.promise(async () => (await (await fetch(`${devnet.horizonUrl}/${path}`)).json()) as Json)
  const ledger = yield* get(`ledgers/${number}`)
  const operations = recordsIn(yield* get(`ledgers/${number}/operations?limit=200`))
  const transactions = recordsIn(yield* get(`ledgers/${number}/transactions?limit=200`))
  const effects = yield* Effect.forEach(operations, ({ id }) => get(`operations/${String(id)}/effects?limit=200`))
  const call = callOver(devnet.networkPassphrase, caller)
  const native = { asset_type: "native", type: "transfer", from: contract }
  const changes = [
    { ...native, to, amount: "4.0000000", destination_muxed_id: "6" },
    { ...native, to: contract, amount: "17014118346046923173168730371588.4105727" },
    { ...native, to, amount: "5.0000000" }
  ]
  const isCall = (record: Json) => record["source_account"] === caller.publicKey()
  const said = {
    ledger: withoutNoise(ledger),
    operations: {
      _embedded: {
        records: operations.map((record) => withoutNoise(isCall(record) ? call.operation(record, changes) : record))
      }
    },
    transactions: {
      _embedded: {
        records: transactions.map((record) => withoutNoise(isCall(record) ? call.transaction(record) : record))
      }
    },
    effects: Object.fromEntries(operations.map(({ id }, index) => [String(id), effects[index]]))
  }
  // What came as JSON is JSON.
  return { hash, ledger, number, operations, said: said as unknown as LedgerSays }
})

layer(World.layer, { excludeTestServices: true })(
  "a reader of a Horizon that says something else than the truth",
  (it) => {
    it.effect(
      "credits nothing that the truth does not hold, leaves nothing out without a word, and asks a bounded number of questions",
      () =>
        Effect.gen(function* () {
          const { devnet } = yield* World
          const { hash, number, said } = yield* told
          const node = yield* scriptedHorizon({
            networkPassphrase: devnet.networkPassphrase,
            assets: [devnet.usdc]
          })
          node.answer(saysOf(said))
          yield* node.chain.header(number)
          const truth = yield* node.chain.block(hash)
          const all = truth.transfers.map((transfer) => [transfer.txHash, textOf(transfer)] as const)
          assert.isUndefined(truth.unread)
          assert.strictEqual(all.length, 8)
          yield* Effect.promise(() =>
            // What a node says is JSON.
            checkMutations(said as unknown as JsonValue, runs, async ({ path, value }) => {
              // What is left of the answers' form is up to the mutation: the reader takes them as they come.
              node.answer(saysOf(value as unknown as LedgerSays))
              const before = node.asked()
              const exit = await Effect.runPromiseExit(node.chain.block(hash))
              assert.isAtMost(node.asked() - before, questionsMax)
              if (Exit.isFailure(exit)) {
                assert.isFalse(Cause.hasDies(exit.cause), Cause.pretty(exit.cause))
                return
              }
              if (isUnproven(path)) return
              const { transfers, unread = [] } = exit.value
              const left = [...all]
              for (const transfer of transfers) {
                const index = left.findIndex(([, text]) => text === textOf(transfer))
                assert.isAtLeast(index, 0, `${path.join(".")}: ${textOf(transfer)} is not of the ledger`)
                left.splice(index, 1)
              }
              for (const [txHash, text] of left) {
                assert.isTrue(
                  unread.some((one) => one.txHash === txHash),
                  `${path.join(".")}: ${text} is left out, and nothing says so`
                )
              }
            })
          )
        }),
      120_000
    )

    it.effect(
      "gives up on a node whose pages have no end, before they fill the memory",
      () =>
        Effect.gen(function* () {
          const { devnet } = yield* World
          const { hash, ledger, number, operations, said } = yield* told
          const node = yield* scriptedHorizon({ networkPassphrase: devnet.networkPassphrase, assets: [] })
          node.answer(saysOf(said))
          yield* node.chain.header(number)
          const [first = {}] = operations
          const endless =
            (count: number, filling: string): Script =>
            (path, query) => {
              if (!path.endsWith("/operations")) return { ...ledger, operation_count: count }
              const after = BigInt(query.get("cursor") ?? String(first["id"]))
              const limit = Number(query.get("limit"))
              const records = Array.from({ length: limit }, (_, nth) => ({
                ...first,
                id: String(after + BigInt(nth + 1))
              }))
              return `${JSON.stringify({ _embedded: { records } })}${filling}`
            }
          const failing = Effect.gen(function* () {
            const before = node.bytes()
            const { message } = yield* Effect.flip(node.chain.block(hash))
            return { message, bytes: node.bytes() - before }
          })
          node.answer(endless(2 ** 32 - 1, ""))
          assert.match((yield* failing).message, /counts 4294967295, more than any can hold/u)
          node.answer(endless(100_000, " ".repeat(15 * mebibyte)))
          const { bytes, message } = yield* failing
          assert.match(message, /more than 268435456 bytes/u)
          assert.isAtMost(bytes, ledgerBytesMax)
        }),
      60_000
    )
  }
)
