import { muxedOf } from "@bursar/simulator-stellar/address"
import * as StellarDevnet from "@bursar/simulator-stellar/StellarDevnet"
import type { StellarFault } from "@bursar/simulator-stellar/StellarFault"
import { assert, describe, it, layer } from "@effect/vitest"
import { Account, Asset, Keypair, MuxedAccount, NetworkError, Operation } from "@stellar/stellar-sdk"
import { Deferred, Effect } from "effect"
import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import { tempDir } from "@bursar/simulator-kit/tempDir"
import { Stellar, verdictOf } from "./support.ts"

interface Answer {
  readonly status: number
  // Bodies differ by route; each test looks at what it expects.
  readonly body: Readonly<Record<string, unknown>>
}

const control = (method: string, path: string, body?: unknown) =>
  Effect.flatMap(Stellar, ({ devnet }) =>
    Effect.promise(async (): Promise<Answer> => {
      const response = await fetch(`${devnet.controlUrl}${path}`, {
        method,
        headers: { "content-type": "application/json" },
        ...(body === undefined ? {} : { body: JSON.stringify(body) })
      })
      return { status: response.status, body: (await response.json()) as Readonly<Record<string, unknown>> }
    })
  )

const errorOf = ({ body }: Answer) =>
  body["error"] as { readonly code: string; readonly message: string; readonly hint: string }

const faulted = <A, E, R>(fault: StellarFault, then: Effect.Effect<A, E, R>) =>
  Effect.flatMap(Stellar, ({ devnet }) =>
    Effect.ensuring(Effect.andThen(devnet.faults.inject(fault), then), devnet.faults.clear)
  )

const rejected = (question: () => Promise<unknown>) =>
  Effect.promise(() =>
    question().then(
      (answer) => assert.fail(`it was answered: ${JSON.stringify(answer)}`),
      (error: unknown) => error
    )
  )

const one = (to: string) => Operation.payment({ destination: to, asset: Asset.native(), amount: "1" })

layer(Stellar.layer(), { excludeTestServices: true })("the controls of the local stellar network", (it) => {
  it.effect("close ledgers", () =>
    Effect.gen(function* () {
      const { devnet } = yield* Stellar
      const { sequence } = devnet.faucet.chain.head()
      const { body, status } = yield* control("POST", "/mine", { count: 4 })
      assert.strictEqual(status, 200)
      assert.deepStrictEqual(body["latest"], { number: sequence + 4, hash: devnet.faucet.chain.head().hash })
    })
  )

  it.effect("fund accounts, muxed accounts and memos", () =>
    Effect.gen(function* () {
      const { horizon } = yield* Stellar
      const to = Keypair.random().publicKey()
      const muxed = new MuxedAccount(new Account(to, "0"), "5").accountId()
      assert.deepStrictEqual(muxedOf(muxed), { address: muxed, id: "5" })
      const missing = yield* control("POST", "/fund", { address: muxed, asset: "XLM", amount: "1" })
      assert.match(errorOf(missing).hint, new RegExp(to, "u"))
      const created = yield* control("POST", "/fund", { address: to, asset: "XLM", amount: "1.5" })
      assert.strictEqual(created.status, 200)
      assert.isNumber(created.body["block_number"])
      yield* control("POST", "/fund", { address: muxed, asset: "XLM", amount: "2" })
      const memo = { type: "id", value: "12" }
      const noted = yield* control("POST", "/fund", { address: to, asset: "XLM", amount: "3", memo })
      const { records } = yield* Effect.promise(() => horizon.payments().forAccount(to).join("transactions").call())
      assert.deepStrictEqual(
        records.map((record) => record.type),
        ["create_account", "payment", "payment"]
      )
      const transaction = yield* Effect.promise(() =>
        horizon.transactions().transaction(String(noted.body["tx_hash"])).call()
      )
      assert.deepStrictEqual([transaction.memo_type, transaction.memo], ["id", "12"])
    })
  )

  it.effect("fund dollars to those who trust their issuer, and say what is missing to others", () =>
    Effect.gen(function* () {
      const { built, devnet, horizon, newAccount } = yield* Stellar
      const key = yield* newAccount
      const request = { address: key.publicKey(), asset: "USDC_XLM", amount: "7.25" }
      const without = yield* control("POST", "/fund", request)
      assert.strictEqual(without.status, 502)
      assert.match(errorOf(without).message, /op_no_trust/u)
      assert.match(errorOf(without).hint, /change_trust/u)
      const [code = "", issuer = ""] = devnet.usdc.split(":")
      yield* verdictOf(yield* built(key, [Operation.changeTrust({ asset: new Asset(code, issuer) })]))
      assert.strictEqual((yield* control("POST", "/fund", request)).status, 200)
      const account = yield* Effect.promise(() => horizon.loadAccount(key.publicKey()))
      assert.strictEqual(account.balances[0]?.balance, "7.2500000")
    })
  )

  it.effect("refuse what makes no sense", () =>
    Effect.gen(function* () {
      const address = Keypair.random().publicKey()
      const requests = [
        ["/fund", { address: "GNOBODY", asset: "XLM", amount: "1" }],
        ["/fund", { address, asset: "DOGE", amount: "1" }],
        ["/fund", { address, asset: "XLM", amount: "0.00000001" }],
        ["/fund", { address, asset: "XLM", amount: "0" }],
        ["/fund", { address, asset: "XLM", amount: "1", memo: { type: "id", value: "x" } }],
        ["/reorg", { depth: 1 }],
        ["/fault", { kind: "earthquake", times: 1 }],
        ["/mine", { count: 0 }]
      ] as const
      for (const [path, body] of requests) {
        const answer = yield* control("POST", path, body)
        assert.deepStrictEqual([answer.status, errorOf(answer).code], [422, "invalid_request"], JSON.stringify(body))
      }
      assert.match(errorOf(yield* control("POST", "/reorg", { depth: 1 })).message, /no reorgs/u)
    })
  )

  it.effect("tell the state, and take back faults", () =>
    Effect.gen(function* () {
      const { devnet } = yield* Stellar
      yield* control("POST", "/fault", { kind: "drop", times: 3, method: "POST /transactions" })
      const { body } = yield* control("GET", "/state")
      assert.deepInclude(body, { network: "stellar", network_passphrase: devnet.networkPassphrase })
      assert.deepStrictEqual(body["faults"], [{ kind: "drop", times: 3, method: "POST /transactions" }])
      assert.deepStrictEqual(body["latest"], body["finalized"])
      assert.deepStrictEqual((yield* control("POST", "/fault", { kind: "none" })).body, { faults: [] })
    })
  )
})

layer(Stellar.layer(), { excludeTestServices: true })("the faults of the local stellar network", (it) => {
  it.effect("drop: the node never sees the transaction", () =>
    Effect.gen(function* () {
      const { built, devnet, funded, horizon, newAccount } = yield* Stellar
      const transaction = yield* built(funded, [one((yield* newAccount).publicKey())])
      const { sequence } = devnet.faucet.chain.head()
      const fault = { kind: "drop", times: 1, method: "POST /transactions" } as const
      yield* faulted(
        fault,
        rejected(() => horizon.submitTransaction(transaction))
      )
      assert.strictEqual(devnet.faucet.chain.head().sequence, sequence)
      assert.deepInclude(yield* verdictOf(transaction), { status: 200 })
    })
  )

  it.effect("lost_reply: the node takes it, and the same bytes are answered with its result", () =>
    Effect.gen(function* () {
      const { built, devnet, funded, horizon, newAccount } = yield* Stellar
      const to = (yield* newAccount).publicKey()
      const transaction = yield* built(funded, [one(to)])
      const fault = { kind: "lost_reply", times: 1, method: "POST /transactions" } as const
      yield* faulted(
        fault,
        rejected(() => horizon.submitTransaction(transaction))
      )
      assert.deepInclude(yield* verdictOf(transaction), { status: 200 })
      const account = yield* Effect.promise(() => horizon.loadAccount(to))
      assert.strictEqual(account.balances.at(-1)?.balance, "101.0000000")
      assert.isAtLeast((yield* devnet.faults.seen)["POST /transactions"] ?? 0, 2)
    })
  )

  it.effect("duplicate: the second answer of a transaction that is taken twice", () =>
    Effect.gen(function* () {
      const { built, funded, horizon, newAccount, rpc } = yield* Stellar
      const to = (yield* newAccount).publicKey()
      const twice = { kind: "duplicate", times: 1 } as const
      const first = yield* built(funded, [one(to)])
      // It spares questions, and waits for a transaction.
      yield* faulted(
        twice,
        Effect.gen(function* () {
          yield* Effect.promise(() => horizon.loadAccount(to))
          assert.deepInclude(yield* verdictOf(first), { status: 200 })
        })
      )
      const second = yield* built(funded, [one(to)])
      const sent = yield* faulted(
        twice,
        Effect.promise(() => rpc.sendTransaction(second))
      )
      assert.strictEqual(sent.status, "ERROR")
      const account = yield* Effect.promise(() => horizon.loadAccount(to))
      assert.strictEqual(account.balances.at(-1)?.balance, "102.0000000")
    })
  )

  it.effect("delay: the answer is true, and late", () =>
    Effect.gen(function* () {
      const { horizon } = yield* Stellar
      const asked = yield* Deferred.make<void>()
      const slow = Effect.tap(
        Effect.promise(() => horizon.root()),
        () => Deferred.succeed(asked, undefined)
      )
      const root = yield* faulted({ kind: "delay", times: 1, delay_ms: 50 }, slow)
      assert.isTrue(yield* Deferred.isDone(asked))
      assert.isAbove(root.history_latest_ledger, 0)
    })
  )

  it.effect("empty: nothing there, in the words of each question", () =>
    Effect.gen(function* () {
      const { funded, horizon, rpc } = yield* Stellar
      yield* faulted(
        { kind: "empty", times: 10 },
        Effect.gen(function* () {
          assert.deepStrictEqual((yield* Effect.promise(() => horizon.ledgers().call())).records, [])
          const missing = yield* rejected(() => horizon.loadAccount(funded.publicKey()))
          assert.instanceOf(missing, NetworkError)
          assert.strictEqual((yield* Effect.promise(() => rpc.getTransaction("00".repeat(32)))).status, "NOT_FOUND")
          yield* rejected(() => rpc.getAccount(funded.publicKey()))
        })
      )
    })
  )

  it.effect("lag: neither the newest ledgers nor what they did", () =>
    Effect.gen(function* () {
      const { devnet, horizon, newAccount, rpc } = yield* Stellar
      yield* devnet.faucet.close(3)
      const { sequence } = devnet.faucet.chain.head()
      const to = (yield* newAccount).publicKey()
      yield* faulted(
        { kind: "lag", times: 10, lag_blocks: 2 },
        Effect.gen(function* () {
          const [latest] = (yield* Effect.promise(() => horizon.ledgers().order("desc").limit(1).call())).records
          assert.strictEqual(latest?.sequence, sequence - 1)
          yield* rejected(() => horizon.loadAccount(to))
          yield* rejected(() => horizon.ledgers().ledger(sequence).call())
          assert.strictEqual((yield* Effect.promise(() => rpc.getLatestLedger())).sequence, sequence - 1)
        })
      )
      assert.strictEqual((yield* Effect.promise(() => horizon.loadAccount(to))).account_id, to)
    })
  )

  it.effect("refuse: with the status and the words that were chosen", () =>
    Effect.gen(function* () {
      const { devnet, rpc } = yield* Stellar
      const limited = { kind: "refuse", times: 1, error_code: 429, error_message: "Rate Limit Exceeded" } as const
      const answered = Effect.promise(async () => {
        const response = await fetch(devnet.horizonUrl)
        return [response.status, await response.json()]
      })
      assert.deepStrictEqual(yield* faulted(limited, answered), [
        429,
        { type: "about:blank", title: "Rate Limit Exceeded", status: 429 }
      ])
      const rpcError = yield* faulted(
        { kind: "refuse", times: 1 },
        rejected(() => rpc.getHealth())
      )
      assert.deepInclude(rpcError as object, { code: -32603, message: "refused" })
    })
  )

  it.effect("garbage: cut short, not JSON, or of the wrong types", () =>
    Effect.gen(function* () {
      const { devnet } = yield* Stellar
      const asked = Effect.promise(async () => {
        const response = await fetch(`${devnet.horizonUrl}/ledgers/1`)
        return response.text().catch(() => "cut short")
      })
      const garbage = (style: "truncated" | "invalid_json" | "wrong_types") =>
        faulted({ kind: "garbage", times: 1, garbage: style }, asked)
      assert.strictEqual(yield* garbage("truncated"), "cut short")
      assert.match(yield* garbage("invalid_json"), /^<html>/u)
      assert.deepInclude(JSON.parse(yield* garbage("wrong_types")) as object, { sequence: "unexpected" })
    })
  )
})

describe("a local stellar network", () => {
  it.live("closes ledgers by itself", () =>
    Effect.gen(function* () {
      const devnet = yield* StellarDevnet.make({ ledgerIntervalMs: 20 })
      const closed = yield* Deferred.make<number>()
      devnet.faucet.chain.onClose(({ sequence }) => {
        if (sequence === 3) Effect.runSync(Deferred.succeed(closed, sequence))
      })
      assert.strictEqual(yield* Deferred.await(closed), 3)
    })
  )

  it.live("goes on where it stopped", () =>
    Effect.gen(function* () {
      const stateFile = join(yield* tempDir, "deeper", "stellar.json")
      const to = Keypair.random().publicKey()
      const before = yield* Effect.scoped(
        Effect.gen(function* () {
          const { faucet } = yield* StellarDevnet.make({ mining: "automine", stateFile })
          yield* faucet.pay(to, "native", 50_0000000n)
          yield* faucet.close(2)
          return faucet.chain.head().hash
        })
      )
      const { faucet } = yield* StellarDevnet.make({ mining: "automine", stateFile })
      assert.strictEqual(faucet.chain.head().hash, before)
      assert.strictEqual(faucet.chain.accounts(4).get(to)?.balance, 50_0000000n)
      yield* faucet.pay(to, "native", 1n)
    })
  )

  it.live("does not go on from a file that is damaged, or of another network", () =>
    Effect.gen(function* () {
      const stateFile = join(yield* tempDir, "stellar.json")
      yield* Effect.scoped(StellarDevnet.make({ mining: "manual", stateFile }))
      const other = StellarDevnet.make({ mining: "manual", stateFile, networkPassphrase: "another" })
      assert.strictEqual((yield* Effect.flip(Effect.scoped(other))).code, "file_failed")
      yield* Effect.promise(() => writeFile(stateFile, "{"))
      const damaged = yield* Effect.flip(Effect.scoped(StellarDevnet.make({ mining: "manual", stateFile })))
      assert.strictEqual(damaged.code, "file_failed")
    })
  )
})
