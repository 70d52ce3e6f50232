import type { ChainError, Transfer } from "@bursar/core/port/Chain"
import { muxed, type StellarChain } from "@bursar/stellar"
import { assert, layer } from "@effect/vitest"
import { Asset, Keypair, Memo, Operation } from "@stellar/stellar-sdk/base"
import { Effect, Redacted } from "effect"
import {
  type Json,
  moved,
  never,
  records,
  recordsIn,
  TamperingNode,
  Text,
  withTransaction,
  without
} from "./support/TamperingNode.ts"
import { World } from "./support/World.ts"

const pay = (to: string, amount: string, asset = Asset.native()) =>
  Operation.payment({ destination: to, asset, amount })

/** What stands in the ledger of a transaction, to anyone. */
const transfersIn = (blockHash: string, chain?: StellarChain) =>
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
        { ...shared, contract: devnet.usdc, transferIndex: 4, units: 4_0000000n },
        { ...shared, contract: null, transferIndex: 5, units: 5_0000000n }
      ])
      assert.isTrue(transfers.every((transfer) => transfer.txHash === txHash))
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
        const transfers = yield* transfersIn(blockHash)
        assert.deepStrictEqual(transfers, [
          { txHash, contract: null, from: gone.publicKey(), memo: null, to: muxed(into, 8n), transferIndex: 0, units }
        ])
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
      const { account, run, usdc } = yield* World
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
          destAsset: usdc,
          destMin: "1"
        })
      ])
      assert.deepStrictEqual(yield* transfersIn(blockHash), [])
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
      yield* reader({ rpcUrl }).verifyNetwork
      const error = yield* Effect.flip(reader({ networkPassphrase: "another" }).verifyNetwork)
      assert.strictEqual(error.reason, "inconsistent")
      assert.match(error.message, /another/u)
    })
  )
})

layer(TamperingNode.layer, { excludeTestServices: true })("a reader of a node that does not say the truth", (it) => {
  /** How a question ends while the node says something else. */
  const told = <A>(
    question: Effect.Effect<A, ChainError, World | TamperingNode>,
    ...changes: ReadonlyArray<Parameters<TamperingNode["Service"]["change"]>>
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
  const operations = /\/operations$/u

  /** A ledger with two transactions of two payments each. */
  const busy = Effect.gen(function* () {
    const { account, devnet, funded, run } = yield* World
    const to = (yield* account).publicKey()
    const { blockHash } = yield* run(funded, [pay(to, "1"), pay(to, "2")])
    return { blockHash, sequence: devnet.faucet.chain.head().sequence, to }
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
      const foreign = (record: Json) => withTransaction({ ...record, transaction_hash: strange }, { hash: strange })
      const changes: ReadonlyArray<readonly [Parameters<typeof records>[0], RegExp]> = [
        [() => [], /0 operations, but the ledger counts 2/u],
        [(record, index) => (index === 1 ? [] : [record]), /1 operations, but the ledger counts 2/u],
        [(record, index) => (index === 1 ? [record, moved(record, 1n)] : [record]), /3 operations, but/u],
        [(record) => [record, record], /comes after/u],
        [(record) => moved(record, 1n << 32n), /not of ledger/u],
        [(record) => moved(record, 1n), /not the next/u],
        [(record, index) => moved(record, index === 0 ? -1n : 0n), /not the number of an operation/u],
        [(record) => ({ ...record, transaction_hash: strange }), /two transactions/u],
        [(record, index) => (index === 0 ? record : foreign(record)), /not the next/u],
        [(record) => withTransaction(record, { operation_count: 3 }), /lacks operations/u],
        [(record) => ({ ...record, transaction_successful: false }), /failed/u],
        [(record) => withTransaction(record, { successful: false }), /failed/u],
        [(record) => without(record, "transaction"), /transaction/u],
        [(record) => ({ ...record, amount: "1e3" }), /amount/u],
        [(record) => ({ ...record, amount: 1 }), /amount/u],
        [(record) => ({ ...record, to: "nobody" }), /account/u],
        [(record) => ({ ...record, to_muxed: muxed(Keypair.random().publicKey(), 1n) }), /not of the account/u]
      ]
      for (const [change, expected] of changes) {
        const error = yield* told(block, [operations, records(change)])
        assert.match(reasonOf(error), /^inconsistent/u)
        assert.match(error.detail, expected)
      }
      const fewer = (ledger: Json) => ({ ...ledger, successful_transaction_count: 0 })
      assert.match((yield* told(block, [one, fewer])).detail, /1 transactions, but the ledger counts 0/u)
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
      const { blockHash, to } = yield* busy
      const contract = "CCW67TSZV3SSS2HXMBQ5JFGCKJNXKZM7UQUWUZPUTHXSTZLEO7SJMI75"
      const other = Keypair.random().publicKey()
      const [code = "", issuer = ""] = devnet.usdc.split(":")
      const usdc = { asset_type: "credit_alphanum4", asset_code: code, asset_issuer: issuer }
      const native = { asset_type: "native" }
      const calls = records((record, index) => {
        if (index === 0) return record
        const changes = [
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
        ]
        return { ...record, type: "invoke_host_function", asset_balance_changes: changes }
      })
      const node = yield* TamperingNode
      node.change(operations, calls)
      const { transfers } = yield* Effect.ensuring(chain.block(blockHash), Effect.sync(node.honest))
      assert.deepStrictEqual(
        transfers
          .slice(1)
          .map((transfer) => [transfer.transferIndex, transfer.contract, transfer.from, transfer.to, transfer.units]),
        [
          [2_001, devnet.usdc, contract, to, 2_0000000n],
          [4_001, null, other, muxed(to, 6n), 4_0000000n],
          [5_001, devnet.usdc, null, to, 5_0000000n],
          [9_001, devnet.usdc, other, to, 9_0000000n]
        ]
      )
    })
  )

  it.effect("does not make up the amount of a merge", () =>
    Effect.gen(function* () {
      const { chain } = yield* TamperingNode
      const { account, run } = yield* World
      const [gone, into] = [yield* account, yield* account]
      yield* run(gone, [Operation.changeTrust({ asset: (yield* World).usdc, limit: "0" })])
      const { blockHash } = yield* run(gone, [Operation.accountMerge({ destination: into.publicKey() })])
      for (const result of ["", "AAAA", "AAAAAAAAAGQAAAAAAAAAAQAAAAAAAAABAAAAAAAAAAA="]) {
        const change = records((record) => withTransaction(record, { result_xdr: result }))
        assert.match(
          reasonOf(yield* told(chain.block(blockHash), [operations, change])),
          /^inconsistent: .*no result of a merge/u
        )
      }
    })
  )

  it.effect("reads memos that the node tells in more than one way", () =>
    Effect.gen(function* () {
      const { chain } = yield* TamperingNode
      const { blockHash } = yield* busy
      const node = yield* TamperingNode
      const memoOf = (fields: Json) =>
        Effect.gen(function* () {
          node.change(
            operations,
            records((record) => withTransaction(record, fields))
          )
          const { transfers } = yield* Effect.ensuring(chain.block(blockHash), Effect.sync(node.honest))
          return transfers[0]?.memo
        })
      assert.deepStrictEqual(yield* memoOf({ memo_type: "text" }), { type: "text", value: "" })
      assert.deepStrictEqual(yield* memoOf({ memo_type: "text", memo: "a" }), { type: "text", value: "a" })
      assert.deepStrictEqual(yield* memoOf({ memo_type: "text", memo: "?", memo_bytes: "/w==" }), {
        type: "text",
        value: "\u{fffd}"
      })
    })
  )

  it.effect("tells what is not there from what is not to be had", () =>
    Effect.gen(function* () {
      const { chain, reader } = yield* TamperingNode
      const { sequence } = yield* busy
      const problem = (status: number) => new Text(status, JSON.stringify({ status, title: "a problem" }))
      const cases: ReadonlyArray<readonly [unknown, RegExp]> = [
        [problem(404), /^absent/u],
        [problem(410), /^absent: .*no history so old/u],
        [new Text(404, "<html>nginx</html>"), /^unreachable: .*404/u],
        [new Text(404, '{"error":"no such route"}'), /^unreachable: .*404/u],
        [problem(429), /^unreachable: .*rate limit/u],
        [problem(500), /^unreachable/u],
        [problem(503), /^unreachable/u],
        [problem(504), /^unreachable: .*504/u],
        [new Text(200, "<html>maintenance</html>"), /^unreachable: .*not JSON/u],
        [new Text(200, ""), /^unreachable: .*not JSON/u]
      ]
      for (const [instead, expected] of cases) {
        assert.match(reasonOf(yield* told(chain.header(sequence), [one, () => instead])), expected)
      }
      const impatient = reader({ timeoutMs: 50 })
      assert.match(reasonOf(yield* told(impatient.header(sequence), [one, () => never])), /^unreachable: .*50 ms/u)
    })
  )

  it.effect("does not take a node without ledgers for an empty network", () =>
    Effect.gen(function* () {
      const { chain } = yield* TamperingNode
      const none = records(() => [])
      for (const question of [Effect.asVoid(chain.tip), Effect.asVoid(chain.blockAt(1))]) {
        assert.match(reasonOf(yield* told(question, [list, none])), /^inconsistent: .*no ledger/u)
      }
      assert.match(reasonOf(yield* told(chain.verifyNetwork, [/^\/$/u, () => ({})])), /^inconsistent/u)
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
