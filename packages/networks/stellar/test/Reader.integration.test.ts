import type { ChainError, Transfer } from "@bursar/core/port/Chain"
import { muxed, type StellarReader } from "@bursar/stellar"
import { assert, layer } from "@effect/vitest"
import { Asset, Keypair, Memo, Operation } from "@stellar/stellar-sdk/base"
import { Effect, Redacted } from "effect"
import { callOver, contract } from "./support/calls.ts"
import {
  type Instead,
  type Json,
  moved,
  never,
  records,
  recordsIn,
  TamperingNode,
  Text,
  without
} from "./support/TamperingNode.ts"
import { World } from "./support/World.ts"

const pay = (to: string, amount: string, asset = Asset.native()) =>
  Operation.payment({ destination: to, asset, amount })

/** What stands in the ledger of a transaction, to anyone. */
const transfersIn = (blockHash: string, chain?: StellarReader) =>
  Effect.flatMap(World, (world) => Effect.map((chain ?? world.chain).block(blockHash), ({ transfers }) => transfers))

const shown = ({ contract, from, memo, to, transferIndex, units }: Transfer) => ({
  contract,
  from,
  memo,
  to,
  transferIndex,
  units
})

layer(World.layer, { excludeTestServices: true })("a reader of stellar on the local network", (it) => {
  it.effect("finds every kind of payment, by its place in the transaction", () =>
    Effect.gen(function* () {
      const { account, devnet, funded, run, usdc } = yield* World
      const to = (yield* account).publicKey()
      const created = Keypair.random().publicKey()
      const { blockHash, txHash } = yield* run(funded, [
        Operation.manageData({ name: "note", value: "nothing moves here" }),
        pay(to, "1.0000001"),
        pay(to, "2.5", usdc),
        Operation.createAccount({ destination: created, startingBalance: "3" }),
        Operation.pathPaymentStrictReceive({
          sendAsset: Asset.native(),
          sendMax: "9",
          destination: to,
          destAsset: usdc,
          destAmount: "4"
        }),
        Operation.pathPaymentStrictSend({
          sendAsset: usdc,
          sendAmount: "5",
          destination: to,
          destAsset: Asset.native(),
          destMin: "1"
        })
      ])
      const transfers = yield* transfersIn(blockHash)
      const from = funded.publicKey()
      const shared = { from, to, memo: null }
      assert.deepStrictEqual(transfers.map(shown), [
        { ...shared, contract: null, transferIndex: 1, units: 1_0000001n },
        { ...shared, contract: devnet.usdc, transferIndex: 2, units: 2_5000000n },
        { ...shared, to: created, contract: null, transferIndex: 3, units: 3_0000000n },
        { ...shared, from: null, contract: devnet.usdc, transferIndex: 4, units: 4_0000000n },
        { ...shared, from: null, contract: null, transferIndex: 5, units: 5_0000000n }
      ])
      assert.isTrue(transfers.every((transfer) => transfer.txHash === txHash))
    })
  )

  it.effect("names the sender of an asset only where that asset was sent", () =>
    Effect.gen(function* () {
      const { account, devnet, funded, run, usdc } = yield* World
      const [key, to] = [yield* account, (yield* account).publicKey()]
      const from = key.publicKey()
      yield* run(funded, [pay(from, "9", usdc)])
      const sent = (sendAsset: Asset) => [
        Operation.pathPaymentStrictReceive({
          sendAsset,
          sendMax: "2",
          destination: to,
          destAsset: usdc,
          destAmount: "2"
        }),
        Operation.pathPaymentStrictSend({ sendAsset, sendAmount: "3", destination: to, destAsset: usdc, destMin: "3" })
      ]
      const { blockHash } = yield* run(key, [...sent(Asset.native()), ...sent(usdc)])
      assert.deepStrictEqual(
        (yield* transfersIn(blockHash)).map((transfer) => [transfer.contract, transfer.from, transfer.units]),
        [
          [devnet.usdc, null, 2_0000000n],
          [devnet.usdc, null, 3_0000000n],
          [devnet.usdc, from, 2_0000000n],
          [devnet.usdc, from, 3_0000000n]
        ]
      )
    })
  )

  it.effect("names no sender for what comes back to its asset on a way through others, and nothing that stays", () =>
    Effect.gen(function* () {
      const { account, devnet, funded, run, usdc } = yield* World
      const [key, to] = [yield* account, (yield* account).publicKey()]
      const self = key.publicKey()
      yield* run(funded, [pay(self, "9", usdc)])
      const way = { sendAsset: usdc, path: [Asset.native()], destAsset: usdc }
      const { blockHash } = yield* run(key, [
        Operation.pathPaymentStrictReceive({ ...way, sendMax: "2", destination: to, destAmount: "2" }),
        Operation.pathPaymentStrictSend({ ...way, sendAmount: "3", destination: to, destMin: "3" }),
        Operation.pathPaymentStrictSend({ ...way, sendAmount: "1", destination: self, destMin: "1" }),
        Operation.pathPaymentStrictReceive({ ...way, sendMax: "1", destination: muxed(self, 7n), destAmount: "1" })
      ])
      const { transfers, unread } = yield* (yield* World).chain.block(blockHash)
      assert.isUndefined(unread)
      assert.deepStrictEqual(
        transfers.map((transfer) => [transfer.contract, transfer.from, transfer.units]),
        [
          [devnet.usdc, null, 2_0000000n],
          [devnet.usdc, null, 3_0000000n]
        ]
      )
    })
  )

  it.effect("takes the amount of a merge from its result, inside another transaction too", () =>
    Effect.gen(function* () {
      const { devnet, funded, run } = yield* World
      const into = Keypair.random().publicKey()
      yield* devnet.faucet.pay(into, "native", 1_0000000n)
      for (const [payer, units] of [
        [undefined, 9_9999900n],
        [funded, 10_0000000n]
      ] as const) {
        const gone = Keypair.random()
        yield* devnet.faucet.pay(gone.publicKey(), "native", 10_0000000n)
        const merge = Operation.accountMerge({ destination: muxed(into, 8n) })
        const { blockHash, txHash } = yield* run(gone, [merge], payer === undefined ? {} : { payer })
        const [{ innerHash = txHash, ...transfer } = assert.fail("nothing was found"), ...others] =
          yield* transfersIn(blockHash)
        assert.deepStrictEqual(others, [])
        // what the network lists under the hash of the one who bids for it has the hash of what was signed too
        assert.strictEqual(innerHash === txHash, payer === undefined)
        assert.match(innerHash, /^[0-9a-f]{64}$/u)
        assert.deepStrictEqual(
          [transfer],
          [{ txHash, contract: null, from: gone.publicKey(), memo: null, to: muxed(into, 8n), transferIndex: 0, units }]
        )
      }
    })
  )

  it.effect("tells muxed receivers and memos of every type apart", () =>
    Effect.gen(function* () {
      const { account, funded, run } = yield* World
      const to = (yield* account).publicKey()
      const bytes = "ab".repeat(32)
      const cases = [
        [Memo.text("1"), { type: "text", value: "1" }],
        [Memo.text("Grüße"), { type: "text", value: "Grüße" }],
        [Memo.id("1"), { type: "id", value: "1" }],
        [Memo.id("18446744073709551615"), { type: "id", value: "18446744073709551615" }],
        [Memo.hash(bytes), { type: "hash", value: bytes }],
        [Memo.return(bytes), { type: "return", value: bytes }],
        [Memo.none(), null]
      ] as const
      for (const [memo, expected] of cases) {
        const { blockHash } = yield* run(funded, [pay(to, "1"), pay(muxed(to, 2n ** 64n - 1n), "1")], { memo })
        const transfers = yield* transfersIn(blockHash)
        assert.deepStrictEqual(
          transfers.map((transfer) => [transfer.to, transfer.memo]),
          [
            [to, expected],
            [muxed(to, 2n ** 64n - 1n), expected]
          ]
        )
      }
    })
  )

  it.effect("does not take for an arrival what an account pays to itself, under whatever number", () =>
    Effect.gen(function* () {
      const { account, run } = yield* World
      const key = yield* account
      const self = key.publicKey()
      const { blockHash } = yield* run(key, [
        pay(self, "1"),
        pay(muxed(self, 7n), "1"),
        Operation.payment({ destination: self, asset: Asset.native(), amount: "1", source: muxed(self, 9n) }),
        Operation.pathPaymentStrictSend({
          sendAsset: Asset.native(),
          sendAmount: "1",
          destination: muxed(self, 1n),
          destAsset: Asset.native(),
          destMin: "1"
        })
      ])
      assert.deepStrictEqual(yield* transfersIn(blockHash), [])
    })
  )

  it.effect("takes for an arrival what an account buys for itself in another asset", () =>
    Effect.gen(function* () {
      const { account, devnet, run, usdc } = yield* World
      const key = yield* account
      const to = muxed(key.publicKey(), 1n)
      const { blockHash } = yield* run(key, [
        Operation.pathPaymentStrictSend({
          sendAsset: Asset.native(),
          sendAmount: "1",
          destination: to,
          destAsset: usdc,
          destMin: "1"
        })
      ])
      assert.deepStrictEqual((yield* transfersIn(blockHash)).map(shown), [
        { contract: devnet.usdc, from: null, memo: null, to, transferIndex: 0, units: 1_0000000n }
      ])
    })
  )

  it.effect("knows an asset by its issuer, not by its name", () =>
    Effect.gen(function* () {
      const { account, devnet, reader, run } = yield* World
      const [counterfeiter, victim] = [yield* account, yield* account]
      const fake = new Asset("USDC", counterfeiter.publicKey())
      yield* run(victim, [Operation.changeTrust({ asset: fake })])
      const { blockHash } = yield* run(counterfeiter, [pay(victim.publicKey(), "1000", fake)])
      assert.deepStrictEqual(yield* transfersIn(blockHash), [])
      // The block is the same to a reader who wants this asset.
      const theirs = `USDC:${counterfeiter.publicKey()}`
      const [transfer] = yield* transfersIn(blockHash, reader({ assets: [devnet.usdc, theirs] }))
      assert.deepStrictEqual([transfer?.contract, transfer?.units], [theirs, 1000_0000000n])
    })
  )

  it.effect("asks nothing more for payments of assets of strangers whose code reads as XLM", () =>
    Effect.gen(function* () {
      const { account, chain, devnet, reader, run } = yield* World
      const [issuer, to] = [yield* account, yield* account]
      // the SDK would make XLM of it; the network takes it as it is
      const asset = Object.assign(new Asset("xlm", issuer.publicKey()), { code: "xlm" })
      yield* run(to, [Operation.changeTrust({ asset })])
      const { blockHash } = yield* run(issuer, [
        pay(to.publicKey(), "1", asset),
        Operation.pathPaymentStrictSend({
          sendAsset: asset,
          sendAmount: "1",
          destination: to.publicKey(),
          destAsset: asset,
          destMin: "1"
        })
      ])
      const { transfers, unread } = yield* chain.block(blockHash)
      assert.deepStrictEqual([transfers, unread], [[], undefined])
      // nor are they payments of the asset that the SDK takes it for
      const other = reader({ assets: [devnet.usdc, `XLM:${issuer.publicKey()}`] })
      assert.deepStrictEqual(yield* transfersIn(blockHash, other), [])
    })
  )

  it.effect("does not see what failed, though it is in the ledger", () =>
    Effect.gen(function* () {
      const { account, run } = yield* World
      const [key, other] = [yield* account, yield* account]
      const failing = [pay(other.publicKey(), "1"), pay(Keypair.random().publicKey(), "1")]
      const { blockHash } = yield* run(key, failing, { mayFail: true })
      assert.deepStrictEqual(yield* transfersIn(blockHash), [])
    })
  )

  it.effect("reads ledgers of many pages whole and in order", () =>
    Effect.gen(function* () {
      const { account, chain, together } = yield* World
      const to = (yield* account).publicKey()
      const sources = [yield* account, yield* account, yield* account]
      const amounts = Array.from({ length: 100 }, (_, index) => BigInt(index + 1))
      const payments = amounts.map((units) => pay(to, `0.${String(units).padStart(7, "0")}`))
      const hash = yield* together(sources.map((source) => [source, payments] as const))
      const { transfers } = yield* chain.block(hash)
      assert.strictEqual(transfers.length, 300)
      for (const source of sources) {
        assert.deepStrictEqual(
          transfers
            .filter(({ from }) => from === source.publicKey())
            .map(({ transferIndex, units }) => [transferIndex, units]),
          amounts.map((units, index) => [index, units])
        )
      }
    })
  )

  it.effect("finds a block by a hash that only another process has seen", () =>
    Effect.gen(function* () {
      const { chain, devnet, reader } = yield* World
      yield* devnet.faucet.close(1)
      const { latest } = yield* chain.tip
      yield* devnet.faucet.close(250)
      const fresh = yield* reader({}).block(latest.hash)
      assert.deepStrictEqual(fresh, { ...latest, transfers: [] })
    })
  )

  it.effect("makes sure that the node is of the right network, by both of its sides", () =>
    Effect.gen(function* () {
      const { devnet, reader } = yield* World
      const rpcUrl = Redacted.make(devnet.rpcUrl)
      yield* reader({ rpcUrl }).verifyChain
      const error = yield* Effect.flip(reader({ networkPassphrase: "another" }).verifyChain)
      assert.strictEqual(error.reason, "other_chain")
      assert.match(error.message, /another/u)
    })
  )
})

layer(TamperingNode.layer, { excludeTestServices: true })("a reader of a node that does not say the truth", (it) => {
  /** How a question ends while the node says something else. */
  const told = <A>(
    question: Effect.Effect<A, ChainError, World | TamperingNode>,
    ...changes: ReadonlyArray<readonly [RegExp, Instead]>
  ) =>
    Effect.flatMap(TamperingNode, ({ change, honest }) =>
      Effect.ensuring(
        Effect.andThen(
          Effect.sync(() => changes.forEach(([path, instead]) => change(path, instead))),
          Effect.flip(question)
        ),
        Effect.sync(honest)
      )
    )

  const reasonOf = ({ detail, reason }: ChainError) => `${reason}: ${detail}`

  const one = /^\/ledgers\/\d+$/u
  const list = /^\/ledgers$/u
  const operations = /^\/ledgers\/\d+\/operations$/u
  const transactions = /^\/ledgers\/\d+\/transactions$/u
  const effects = /^\/operations\/\d+\/effects$/u

  /** What a question gives while the node says something else. */
  const saying = <A, E, R>(question: Effect.Effect<A, E, R>, ...changes: ReadonlyArray<readonly [RegExp, Instead]>) =>
    Effect.flatMap(TamperingNode, ({ change, honest }) =>
      Effect.ensuring(
        Effect.andThen(
          Effect.sync(() => changes.forEach(([path, instead]) => change(path, instead))),
          question
        ),
        Effect.sync(honest)
      )
    )

  /** A ledger with two transactions of two payments each. */
  const busy = Effect.gen(function* () {
    const { account, devnet, funded, run } = yield* World
    const to = (yield* account).publicKey()
    const { blockHash } = yield* run(funded, [pay(to, "1"), pay(to, "2")])
    return { blockHash, sequence: devnet.faucet.chain.head().sequence, to }
  })

  /** A ledger with a payment and, of another account, a transaction that tests put a call of a contract in the place of. */
  const withCall = Effect.gen(function* () {
    const { account, devnet, funded, together } = yield* World
    const [receiver, caller] = [yield* account, yield* account]
    const to = receiver.publicKey()
    const blockHash = yield* together([
      [funded, [pay(to, "1")]],
      [caller, [Operation.bumpSequence({ bumpTo: "0" })]]
    ])
    const { hash, operation, transaction } = callOver(devnet.networkPassphrase, caller)
    const isCall = (record: Json) => record["source_account"] === caller.publicKey()
    const calling = (changes: unknown): ReadonlyArray<readonly [RegExp, Instead]> => [
      [operations, records((record) => (isCall(record) ? operation(record, changes) : record))],
      [transactions, records((record) => (isCall(record) ? transaction(record) : record))]
    ]
    return { blockHash, calling, hash, to }
  })

  it.effect("believes no header that does not give its hash, or that says something else", () =>
    Effect.gen(function* () {
      const { chain } = yield* TamperingNode
      const { blockHash, sequence } = yield* busy
      const header = chain.header(sequence)
      const cases: ReadonlyArray<readonly [(ledger: Json) => Json, RegExp]> = [
        [(ledger) => ({ ...ledger, hash: "ab".repeat(32) }), /does not give the hash/u],
        [(ledger) => ({ ...ledger, header_xdr: "AAAA" }), /cannot be read/u],
        [(ledger) => ({ ...ledger, prev_hash: "cd".repeat(32) }), /another parent/u],
        [(ledger) => ({ ...ledger, closed_at: "2020-01-01T00:00:00Z" }), /another time/u],
        [(ledger) => ({ ...ledger, sequence: Number(ledger["sequence"]) + 1 }), /by its header/u],
        [(ledger) => without(ledger, "hash"), /hash/u],
        [() => ({}), /hash/u]
      ]
      for (const [instead, expected] of cases) {
        const error = yield* told(header, [one, instead])
        assert.match(reasonOf(error), /^inconsistent/u)
        assert.match(error.detail, expected)
      }
      assert.strictEqual((yield* header).hash, blockHash)
    })
  )

  it.effect("notices when it is given another ledger than it asked for", () =>
    Effect.gen(function* () {
      const { chain, url } = yield* TamperingNode
      const { blockHash, sequence } = yield* busy
      yield* chain.header(sequence)
      const other = yield* Effect.promise(async (): Promise<unknown> =>
        (await fetch(`${url}/ledgers/${sequence - 1}`)).json()
      )
      assert.match(reasonOf(yield* told(chain.header(sequence), [one, () => other])), /^inconsistent: .*answered with/u)
      assert.match(reasonOf(yield* told(chain.block(blockHash), [one, () => other])), /^inconsistent/u)
    })
  )

  it.effect("reads no ledger of which it is not given everything, or too much", () =>
    Effect.gen(function* () {
      const { chain } = yield* TamperingNode
      const { blockHash, sequence } = yield* busy
      const block = chain.block(blockHash)
      const before = yield* block
      const strange = "ab".repeat(32)
      const changes: ReadonlyArray<readonly [RegExp, Parameters<typeof records>[0], RegExp]> = [
        [operations, () => [], /0 operations, but the ledger counts 2/u],
        [operations, (record, index) => (index === 1 ? [] : [record]), /1 operations, but the ledger counts 2/u],
        [operations, (record, index) => (index === 1 ? [record, moved(record, 1n)] : [record]), /3 operations, but/u],
        [operations, (record) => [record, record], /comes after/u],
        [operations, (record) => moved(record, 1n << 32n), /not of ledger/u],
        [operations, (record) => moved(record, 1n), /not the next/u],
        [operations, (record, index) => moved(record, index === 0 ? -1n : 0n), /not the number of an operation/u],
        [operations, (record) => ({ ...record, transaction_hash: strange }), /is not one of the ledger/u],
        [
          operations,
          (record, index) => (index === 0 ? record : { ...record, transaction_hash: strange }),
          /not the next/u
        ],
        [operations, (record) => ({ ...record, transaction_successful: false }), /failed/u],
        [transactions, () => [], /0 transactions, but the ledger counts 1/u],
        [transactions, (record) => [record, record], /comes after/u],
        [transactions, (record) => ({ ...record, operation_count: 3 }), /lacks operations/u],
        [transactions, (record) => ({ ...record, successful: false }), /failed/u],
        [transactions, (record) => ({ ...record, hash: strange }), /is not one of the ledger/u],
        [transactions, (record) => ({ ...record, paging_token: "8589934592" }), /not of ledger/u],
        [transactions, (record) => without(record, "operation_count"), /operation_count/u]
      ]
      for (const [path, change, expected] of changes) {
        const error = yield* told(block, [path, records(change)])
        assert.match(reasonOf(error), /^inconsistent/u)
        assert.match(error.detail, expected)
      }
      const fewer = (ledger: Json) => ({ ...ledger, successful_transaction_count: 0 })
      assert.match((yield* told(block, [one, fewer])).detail, /counts 0/u)
      assert.deepStrictEqual(yield* block, before)
      assert.strictEqual(before.number, sequence)
    })
  )

  it.effect("pages by its own cursor, whatever link the node gives, and stops where the ledger ends", () =>
    Effect.gen(function* () {
      const { asked, chain } = yield* TamperingNode
      const { blockHash } = yield* busy
      const elsewhere = (answer: Json) => ({ ...answer, _links: { next: { href: "http://127.0.0.1:1/elsewhere" } } })
      const node = yield* TamperingNode
      node.change(operations, elsewhere)
      yield* Effect.ensuring(chain.block(blockHash), Effect.sync(node.honest))
      assert.include(
        asked().findLast((path) => operations.test(path.split("?")[0] ?? "")) ?? "",
        "include_failed=false"
      )
      // A page that is full is followed by another; one that repeats itself ends the reading.
      const full = (answer: Json) => {
        const [first = {}] = recordsIn(answer)
        const many = Array.from({ length: 200 }, (_, index) => moved(first, BigInt(index)))
        return { ...answer, _embedded: { records: many } }
      }
      const error = yield* told(chain.block(blockHash), [operations, full])
      assert.match(reasonOf(error), /^inconsistent: 200 operations, but/u)
    })
  )

  it.effect("finds what contracts transfer and mint, and none of what they burn or keep", () =>
    Effect.gen(function* () {
      const { chain } = yield* TamperingNode
      const { devnet } = yield* World
      const { blockHash, calling, hash, to } = yield* withCall
      const other = Keypair.random().publicKey()
      const [code = "", issuer = ""] = devnet.usdc.split(":")
      const usdc = { asset_type: "credit_alphanum4", asset_code: code, asset_issuer: issuer }
      const native = { asset_type: "native" }
      const calls = calling([
        { ...usdc, type: "burn", from: other, amount: "1.0000000" },
        { ...usdc, type: "transfer", from: contract, to, amount: "2.0000000" },
        // Contracts can hold more than accounts.
        { ...usdc, type: "transfer", from: other, to: contract, amount: "17014118346046923173168730371588.4105727" },
        {
          ...native,
          type: "transfer",
          from: other,
          to,
          amount: "4.0000000",
          destination_muxed_id: "6",
          destination_muxed_id_type: "uint64"
        },
        { ...usdc, type: "mint", to, amount: "5.0000000" },
        { ...usdc, asset_issuer: other, type: "mint", to, amount: "6.0000000" },
        { ...usdc, type: "transfer", from: to, to, amount: "7.0000000" },
        { ...usdc, type: "clawback", from: to, amount: "8.0000000" },
        {
          ...usdc,
          type: "transfer",
          from: other,
          to,
          amount: "9.0000000",
          destination_muxed_id: "abc",
          destination_muxed_id_type: "string"
        }
      ])
      const { transfers, unread } = yield* saying(chain.block(blockHash), ...calls)
      assert.isUndefined(unread)
      assert.deepStrictEqual(
        transfers
          .filter(({ txHash }) => txHash === hash)
          .map((transfer) => [transfer.transferIndex, transfer.contract, transfer.from, transfer.to, transfer.units]),
        [
          [2_000, devnet.usdc, contract, to, 2_0000000n],
          [4_000, null, other, muxed(to, 6n), 4_0000000n],
          [5_000, devnet.usdc, null, to, 5_0000000n],
          [9_000, devnet.usdc, other, to, 9_0000000n]
        ]
      )
    })
  )

  it.effect("takes the receiver's number of what contracts transfer, whether its type is told or not", () =>
    Effect.gen(function* () {
      const { chain } = yield* TamperingNode
      const { blockHash, calling, hash, to } = yield* withCall
      const other = Keypair.random().publicKey()
      const receiverWith = (fields: Json) => {
        const change = { asset_type: "native", type: "transfer", from: other, to, amount: "4.0000000", ...fields }
        return Effect.map(saying(chain.block(blockHash), ...calling([change])), ({ transfers, unread }) => [
          transfers.find(({ txHash }) => txHash === hash)?.to,
          unread?.length ?? 0
        ])
      }
      const most = "18446744073709551615"
      assert.deepStrictEqual(yield* receiverWith({ destination_muxed_id: "415114909797" }), [
        muxed(to, 415_114_909_797n),
        0
      ])
      assert.deepStrictEqual(yield* receiverWith({ destination_muxed_id: most, destination_muxed_id_type: null }), [
        muxed(to, 2n ** 64n - 1n),
        0
      ])
      assert.deepStrictEqual(yield* receiverWith({ destination_muxed_id: most, destination_muxed_id_type: "uint64" }), [
        muxed(to, 2n ** 64n - 1n),
        0
      ])
      assert.deepStrictEqual(yield* receiverWith({ destination_muxed_id: 6 }), [muxed(to, 6n), 0])
      assert.deepStrictEqual(yield* receiverWith({ destination_muxed_id: "0" }), [muxed(to, 0n), 0])
      // Whom these pay cannot be told: they are no deposits of the account itself.
      for (const id of ["18446744073709551616", "-1", "abc", 2 ** 60])
        assert.deepStrictEqual(yield* receiverWith({ destination_muxed_id: id }), [undefined, 1])
      const mistyped = `${to.slice(0, -1)}${to.endsWith("A") ? "B" : "A"}`
      for (const receiver of [mistyped, muxed(to, 6n), "G", "M".repeat(69)])
        assert.deepStrictEqual(yield* receiverWith({ to: receiver, destination_muxed_id: "6" }), [undefined, 1])
      assert.deepStrictEqual(yield* receiverWith({ to: mistyped }), [undefined, 1])
      assert.deepStrictEqual(yield* receiverWith({ to: muxed(to, 6n) }), [muxed(to, 6n), 0])
    })
  )

  it.effect("names what it cannot read with what it gave, and reads all the rest", () =>
    Effect.gen(function* () {
      const { chain } = yield* TamperingNode
      const { devnet } = yield* World
      const { blockHash, to } = yield* busy
      const [code = "", issuer = ""] = devnet.usdc.split(":")
      const usdc = { asset_type: "credit_alphanum4", asset_code: code, asset_issuer: issuer }
      const txHash = (yield* chain.block(blockHash)).transfers[0]?.txHash ?? ""
      const second = (fields: Json) => records((record, index) => (index === 1 ? { ...record, ...fields } : record))
      const called = (fields: Json) =>
        second({ type: "invoke_host_function", asset_balance_changes: [{ type: "transfer", ...fields }] })
      const gains = [{ to, contract: null, units: 2_0000000n }]
      const cases: ReadonlyArray<readonly [Instead, RegExp]> = [
        [second({ type: "teleport" }), /its type, teleport/u],
        [second({ amount: "1e3" }), /amount/u],
        [second({ amount: 1 }), /amount/u],
        [second({ to: "nobody" }), /account/u],
        [second({ to_muxed: muxed(Keypair.random().publicKey(), 1n) }), /not of the account/u],
        [second({ type: "invoke_host_function", asset_balance_changes: "many" }), /asset_balance_changes/u],
        [called({ asset_type: "native", to, amount: "1", type: "conjure" }), /unknown type conjure/u],
        [called({ asset_type: "native", to, amount: "-1" }), /amount/u],
        [called({ ...usdc, to }), /amount/u]
      ]
      for (const [instead, reason] of cases) {
        const { transfers, unread = [] } = yield* saying(chain.block(blockHash), [operations, instead])
        assert.deepStrictEqual(
          transfers.map(({ transferIndex, units }) => [transferIndex, units]),
          [[0, 1_0000000n]]
        )
        assert.deepStrictEqual(
          unread.map((one) => [one.txHash, one.gains]),
          [[txHash, gains]]
        )
        assert.match(unread[0]?.reason ?? "", reason)
      }
      const strange = [operations, second({ type: "teleport" })] as const
      const gainsWith = (instead: Instead) =>
        Effect.map(saying(chain.block(blockHash), strange, [effects, instead]), ({ unread }) => unread?.[0]?.gains)
      assert.isNull(yield* gainsWith(() => ({})))
      assert.isNull(yield* gainsWith(() => new Text(404, '{"status":404}')))
      assert.isNull(yield* gainsWith(records((record) => ({ ...record, amount: "much" }))))
      const credited = { type: "account_credited", account: to, amount: "7" }
      assert.deepStrictEqual(
        yield* gainsWith(
          records((_record, index) =>
            index > 0
              ? []
              : [
                  { ...credited, ...usdc },
                  { ...credited, ...usdc, asset_issuer: to },
                  { type: "account_created", account: to, starting_balance: "3.5" },
                  { type: "trade" }
                ]
          )
        ),
        [
          { to, contract: devnet.usdc, units: 7_0000000n },
          { to, contract: null, units: 3_5000000n }
        ]
      )
      // A node that does not answer has said nothing: the ledger is read again.
      assert.match(
        reasonOf(yield* told(chain.block(blockHash), strange, [effects, () => new Text(503, "")])),
        /^unreachable/u
      )
    })
  )

  it.effect("is not kept from a ledger by what concerns nobody: other assets and contracts are not looked at", () =>
    Effect.gen(function* () {
      const { chain } = yield* TamperingNode
      const { blockHash, calling, to } = yield* withCall
      const foreign = { asset_type: "credit_alphanum4", asset_code: "USDC", asset_issuer: to, to, amount: "lots" }
      const changes = [
        { ...foreign, type: "conjure" },
        { asset_type: "native", type: "transfer", to: "CCW67TSZ", amount: "17014118346046923173168730371588.41" }
      ]
      // Nothing moves, so nobody asks for a memo.
      const block = yield* saying(chain.block(blockHash), ...calling(changes))
      assert.strictEqual(block.transfers.length, 1)
      assert.isUndefined(block.unread)
    })
  )

  it.effect("reads transactions once, and asks for less where a page is too large", () =>
    Effect.gen(function* () {
      const { asked, reader } = yield* TamperingNode
      const chain = reader({ timeoutMs: 60_000 })
      const { blockHash } = yield* busy
      const whole = yield* chain.block(blockHash)
      const before = asked().length
      const huge = " ".repeat(17 * 1024 * 1024)
      const below = (most: number) => (answer: Json, query: URLSearchParams) =>
        Number(query.get("limit")) > most ? new Text(200, huge) : answer
      const read = yield* saying(chain.block(blockHash), [transactions, below(50)], [operations, below(100)])
      assert.deepStrictEqual(read, whole)
      const limits = asked()
        .slice(before)
        .map((path) => [path.includes("/transactions?"), new URLSearchParams(path.split("?")[1]).get("limit")])
        .filter(([, limit]) => limit !== null)
      assert.deepStrictEqual(limits, [
        [false, "200"],
        [false, "100"],
        [true, "200"],
        [true, "100"],
        [true, "50"]
      ])
      assert.isTrue(asked().every((path) => !path.includes("join=")))
    })
  )

  it.effect(
    "credits nothing that was not signed under the hash of its transaction, and names it with what it gave",
    () =>
      Effect.gen(function* () {
        const { chain } = yield* TamperingNode
        const { devnet, funded } = yield* World
        const { blockHash, to } = yield* busy
        const whole = yield* chain.block(blockHash)
        const other = Keypair.random().publicKey()
        const [code = "", issuer = ""] = devnet.usdc.split(":")
        const second = (fields: Json) => records((record, index) => (index === 1 ? { ...record, ...fields } : record))
        const lies: ReadonlyArray<Json> = [
          { amount: "2000.0000000" },
          { to: other },
          { to_muxed: muxed(to, 7n) },
          { from: other },
          { asset_type: "credit_alphanum4", asset_code: code, asset_issuer: issuer },
          { asset_type: "credit_alphanum4", asset_code: "JUNK", asset_issuer: issuer },
          // A payment that is called something else is lost silently otherwise.
          { type: "manage_data" },
          { type: "invoke_host_function", asset_balance_changes: [] },
          { type: "create_account", account: to, funder: funded.publicKey(), starting_balance: "2.0000000" }
        ]
        const gains = [{ to, contract: null, units: 2_0000000n }]
        for (const lie of lies) {
          const { transfers, unread = [] } = yield* saying(chain.block(blockHash), [operations, second(lie)])
          assert.deepStrictEqual(transfers, whole.transfers.slice(0, 1))
          assert.deepStrictEqual(
            unread.map((one) => one.gains),
            [gains]
          )
          assert.match(unread[0]?.reason ?? "", /by what was signed|not what was signed/u)
        }
        const { transaction } = callOver(devnet.networkPassphrase, funded)
        const envelopes: ReadonlyArray<readonly [(record: Json) => Json, RegExp]> = [
          [(record) => ({ ...record, envelope_xdr: "AAAA" }), /signed for it cannot be read/u],
          [(record) => without(record, "envelope_xdr"), /signed for it cannot be read/u],
          [
            (record) => ({ ...transaction(record), hash: record["hash"] }),
            /it is invoke_host_function by what was signed/u
          ]
        ]
        for (const [change, reason] of envelopes) {
          const { transfers, unread = [] } = yield* saying(chain.block(blockHash), [transactions, records(change)])
          assert.deepStrictEqual(transfers, [])
          assert.match(unread[0]?.reason ?? "", reason)
        }
      })
  )

  it.effect(
    "names what it cannot read inside another transaction by both hashes, and believes no envelope of another",
    () =>
      Effect.gen(function* () {
        const { chain } = yield* TamperingNode
        const { account, funded, run } = yield* World
        const paying = yield* account
        const { blockHash } = yield* run(paying, [pay(funded.publicKey(), "1")], { payer: funded })
        const [whole] = (yield* chain.block(blockHash)).transfers
        const envelopes: Array<Json> = []
        const kept = records((record) => {
          envelopes.push(record)
          return record
        })
        const strange = records((record) => ({ ...record, amount: "2.0000000" }))
        const { unread = [] } = yield* saying(chain.block(blockHash), [transactions, kept], [operations, strange])
        assert.isDefined(whole?.innerHash)
        assert.deepStrictEqual(
          unread.map(({ innerHash, txHash }) => [txHash, innerHash]),
          [[whole?.txHash, whole?.innerHash]]
        )
        const { blockHash: theirs, txHash } = yield* run(funded, [pay(paying.publicKey(), "1")])
        const wrapped = records((record) => ({ ...record, envelope_xdr: envelopes[0]?.["envelope_xdr"] }))
        const block = yield* saying(chain.block(theirs), [transactions, wrapped])
        assert.deepStrictEqual(
          block.unread?.map((one) => [one.txHash, one.innerHash]),
          [[txHash, undefined]]
        )
      })
  )

  it.effect("believes no envelope that does not give the hash of its transaction", () =>
    Effect.gen(function* () {
      const { chain } = yield* TamperingNode
      const { account, funded, run } = yield* World
      const to = (yield* account).publicKey()
      const { blockHash } = yield* run(funded, [pay(to, "1")])
      const { blockHash: otherHash } = yield* run(funded, [pay(to, "1000")])
      const other = (yield* chain.block(otherHash)).transfers[0]
      const answers: Array<Json> = []
      yield* saying(chain.block(otherHash), [
        transactions,
        (answer) => {
          answers.push(...recordsIn(answer))
          return answer
        }
      ])
      const change = records((record) => ({ ...record, envelope_xdr: answers[0]?.["envelope_xdr"] }))
      const much = records((record) => ({ ...record, amount: "1000.0000000" }))
      const { transfers, unread = [] } = yield* saying(
        chain.block(blockHash),
        [transactions, change],
        [operations, much]
      )
      assert.strictEqual(other?.units, 1_000_0000000n)
      assert.deepStrictEqual(transfers, [])
      assert.match(unread[0]?.reason ?? "", /does not give the hash/u)
      assert.deepStrictEqual(unread[0]?.gains, [{ to, contract: null, units: 1_0000000n }])
    })
  )

  it.effect("does not make up the amount of a merge", () =>
    Effect.gen(function* () {
      const { chain } = yield* TamperingNode
      const { account, run } = yield* World
      const [gone, into] = [yield* account, yield* account]
      yield* run(gone, [Operation.changeTrust({ asset: (yield* World).usdc, limit: "0" })])
      const { blockHash } = yield* run(gone, [Operation.accountMerge({ destination: into.publicKey() })])
      const [told] = (yield* chain.block(blockHash)).transfers
      for (const result of ["", "AAAA", "AAAAAAAAAGQAAAAAAAAAAQAAAAAAAAABAAAAAAAAAAA="]) {
        const change = records((record) => ({ ...record, result_xdr: result }))
        const { transfers, unread = [] } = yield* saying(chain.block(blockHash), [transactions, change])
        assert.deepStrictEqual(transfers, [])
        assert.match(unread[0]?.reason ?? "", /no result of a merge/u)
        // Its effects tell what it gave.
        assert.deepStrictEqual(unread[0]?.gains, [{ to: into.publicKey(), contract: null, units: told?.units ?? 0n }])
      }
    })
  )

  it.effect("reads memos that the node tells in more than one way, and none that was not signed", () =>
    Effect.gen(function* () {
      const { chain } = yield* TamperingNode
      const { account, funded, run } = yield* World
      const to = (yield* account).publicKey()
      const memoOf = (signed: Memo, fields: Json) =>
        Effect.gen(function* () {
          const { blockHash } = yield* run(funded, [pay(to, "1")], { memo: signed })
          const told = records((record) => ({ ...without(without(record, "memo"), "memo_bytes"), ...fields }))
          const { transfers, unread } = yield* saying(chain.block(blockHash), [transactions, told])
          return unread === undefined ? transfers[0]?.memo : unread[0]?.reason
        })
      assert.match(String(yield* memoOf(Memo.text("a"), { memo_type: "riddle" })), /memo_type/u)
      assert.deepStrictEqual(yield* memoOf(Memo.text(""), { memo_type: "text" }), { type: "text", value: "" })
      assert.deepStrictEqual(yield* memoOf(Memo.text("a"), { memo: "a" }), { type: "text", value: "a" })
      assert.deepStrictEqual(yield* memoOf(Memo.text(Uint8Array.of(0xff)), { memo: "?", memo_bytes: "/w==" }), {
        type: "text",
        value: "\u{fffd}"
      })
      const difficult: ReadonlyArray<readonly [ReadonlyArray<number>, string, string]> = [
        [[0], "AA==", "\u{fffd}"],
        [[0x61, 0, 0x62], "YQBi", "a\u{fffd}b"],
        [[0xef, 0xbb, 0xbf, 0x61], "77u/YQ==", "\u{feff}a"]
      ]
      for (const [bytes, base64, value] of difficult)
        assert.deepStrictEqual(yield* memoOf(Memo.text(Uint8Array.from(bytes)), { memo_bytes: base64 }), {
          type: "text",
          value
        })
      assert.match(String(yield* memoOf(Memo.text("a"), { memo: "a", memo_bytes: "Y" })), /memo_bytes/u)
      for (const memo of ["Y", "Y===", "Y*=="]) {
        assert.match(String(yield* memoOf(Memo.hash("ab".repeat(32)), { memo })), /base64/u)
      }
      for (const fields of [{ memo: "b" }, { memo_type: "none" }, { memo_type: "id", memo: "1" }]) {
        assert.match(String(yield* memoOf(Memo.text("a"), fields)), /its memo is not the one that was signed/u)
      }
    })
  )

  it.effect("tells what is not there from what is not to be had", () =>
    Effect.gen(function* () {
      const { chain, reader, url } = yield* TamperingNode
      const { sequence } = yield* busy
      const problem = (status: number) => new Text(status, JSON.stringify({ status, title: "a problem" }))
      const cases: ReadonlyArray<readonly [unknown, RegExp]> = [
        [problem(404), /^absent/u],
        [problem(410), /^absent: .*no history so old/u],
        [new Text(404, "<html>nginx</html>"), /^unreachable: .*404/u],
        [new Text(404, '{"error":"no such route"}'), /^unreachable: .*404/u],
        [problem(500), /^unreachable/u],
        [problem(503), /^unreachable/u],
        [problem(504), /^unreachable: .*504/u],
        [new Text(200, "<html>maintenance</html>"), /^unreachable: .*not JSON: <html>maintenance/u],
        [new Text(200, ""), /^unreachable: .*not JSON/u]
      ]
      for (const [instead, expected] of cases) {
        assert.match(reasonOf(yield* told(chain.header(sequence), [one, () => instead])), expected)
      }
      // at an address of its own: the node is left alone there after that
      const horizonUrl = Redacted.make(url.replace("http://", "http://limited@"))
      const limited = told(reader({ horizonUrl }).header(sequence), [one, () => problem(429)])
      assert.match(reasonOf(yield* limited), /^unreachable: .*rate limit/u)
      const impatient = reader({ timeoutMs: 50 })
      assert.match(reasonOf(yield* told(impatient.header(sequence), [one, () => never])), /^unreachable: .*50 ms/u)
    })
  )

  it.effect("does not take the oldest ledger that a node keeps for the first of a time before it", () =>
    Effect.gen(function* () {
      const { chain, url } = yield* TamperingNode
      yield* (yield* World).devnet.faucet.close(10)
      const { latest } = yield* chain.tip
      const [sought, kept] = [yield* chain.header(latest.number - 8), yield* chain.header(latest.number - 4)]
      const first: unknown = yield* Effect.promise(async () => (await fetch(`${url}/ledgers/${kept.number}`)).json())
      const oldest: Instead = (answer, query) =>
        query.get("order") === "asc" ? { _embedded: { records: [first] } } : answer
      for (const time of [0, sought.time, kept.time]) {
        const reason = reasonOf(yield* told(chain.blockAt(time), [list, oldest]))
        assert.match(reason, new RegExp(`^absent: .*no history from before ledger ${kept.number}`, "u"))
      }
      const found = yield* saying(chain.blockAt(kept.time + 1), [list, oldest])
      assert.isAbove(found.number, kept.number)
      assert.isAbove(found.time, kept.time)
    })
  )

  it.effect("does not take a node without ledgers for an empty network", () =>
    Effect.gen(function* () {
      const { chain } = yield* TamperingNode
      const none = records(() => [])
      for (const question of [Effect.asVoid(chain.tip), Effect.asVoid(chain.blockAt(1))]) {
        assert.match(reasonOf(yield* told(question, [list, none])), /^inconsistent: .*no ledger/u)
      }
      assert.match(reasonOf(yield* told(chain.verifyChain, [/^\/$/u, () => ({})])), /^inconsistent/u)
    })
  )

  it.effect("sends a password where it belongs, and shows no secret", () =>
    Effect.gen(function* () {
      const { headers, reader, url } = yield* TamperingNode
      const secret = url.replace("http://", "http://user:pass%20word@")
      const chain = reader({ horizonUrl: Redacted.make(`${secret}/?token=0123456789`) })
      yield* chain.tip
      assert.strictEqual(headers()["authorization"], `Basic ${btoa("user:pass word")}`)
      const broken = reader({
        horizonUrl: Redacted.make("http://user:password@127.0.0.1:1/secret-key?token=0123456789")
      })
      const { message } = yield* Effect.flip(broken.tip)
      assert.notMatch(message, /password|secret-key|0123456789/u)
    })
  )
})
