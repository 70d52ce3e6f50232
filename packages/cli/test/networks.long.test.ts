import { environmentFor } from "./support/environmentFor.ts"
import type { Deposit } from "@bursar/api/wire/Deposit"
import { BitcoinDevnet } from "@bursar/simulator-bitcoin"
import { StellarDevnet } from "@bursar/simulator-stellar"
import { TronDevnet } from "@bursar/simulator-tron"
import { addressOf, scriptOf } from "@bursar/simulator-bitcoin/scripts"
import { makeWallet } from "@bursar/simulator-bitcoin/Wallet"
import { addressOfKey } from "@bursar/simulator-tron/account"
import { base58Of } from "@bursar/simulator-tron/address"
import { muxed } from "@bursar/stellar/Address"
import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { randomBytes } from "node:crypto"
import { bursar } from "./support/bursar.ts"
import { localNode } from "./support/localNode.ts"
import { allEvents, availableOf, openTenant, operatorOn, partnerOn, register, untilLetIn } from "./support/tenant.ts"
import { until } from "./support/until.ts"
import { confirmations, environmentOf, migratedDatabase, serve, sqlOn, work } from "./support/world.ts"

/** Longer than the reorganisations below: what is solidified cannot be replaced. */
const solidifiedLag = 25

/** A whole service in processes of its own on local networks, with a tenant. */
const openNetworks = Effect.gen(function* () {
  const [database, bitcoin, tron, stellar] = yield* Effect.all(
    [
      migratedDatabase,
      BitcoinDevnet.make(),
      TronDevnet.make({ mining: "manual", solidifiedLag }),
      StellarDevnet.make({ mining: "manual" })
    ],
    { concurrency: 4 }
  )
  const env = {
    ...environmentOf(database.url),
    BITCOIN_RPC_URL: bitcoin.rpcUrl,
    BITCOIN_CHAIN: "regtest",
    BITCOIN_CONFIRMATIONS: String(confirmations),
    TRON_NODE_URL: tron.nodeUrl,
    TRON_GENESIS_BLOCK_ID: tron.genesisBlockId,
    TRON_CONFIRMATIONS: String(confirmations),
    STELLAR_HORIZON_URL: stellar.horizonUrl,
    STELLAR_RPC_URL: stellar.rpcUrl,
    STELLAR_NETWORK_PASSPHRASE: stellar.networkPassphrase
  }
  const [server, worker] = yield* Effect.all([serve(env), work(env)], { concurrency: 2 })
  const operator = yield* operatorOn(server.operatorUrl)
  // A key for each network: a key may ask so often only.
  const { keys } = yield* openTenant(operator, "acme", 3)
  const [forBitcoin, forTron, forStellar] = yield* Effect.forEach(keys, (key) => partnerOn(server.partnerUrl, key))
  if (forBitcoin === undefined || forTron === undefined || forStellar === undefined) throw new Error("a key is missing")
  yield* untilLetIn(forBitcoin)
  const status = (network: string) =>
    Effect.map(operator.health.networks(), ({ networks }) => networks.find((one) => one.network === network))
  return {
    bitcoin,
    tron,
    stellar,
    env,
    worker,
    partners: { bitcoin: forBitcoin, tron: forTron, stellar: forStellar },
    status,
    /** `bursar check`, as an operator runs it. */
    check: bursar(["check"], { env: { DATABASE_URL: database.url } })
  }
})

class Service extends Context.Service<Service, Effect.Success<typeof openNetworks>>()("test/Service") {
  static readonly layer = Layer.effect(Service, openNetworks)
}

/** A network as the tests below need it. */
interface Case {
  readonly network: "bitcoin" | "tron" | "stellar"
  readonly asset: string
  /** An address that nobody has used. */
  readonly address: (account: string) => string
  /** Blocks that a deposit needs. */
  readonly depth: number
  /** Whether a transaction is seen before it is mined. */
  readonly seenWaiting: boolean
}

const cases: ReadonlyArray<Case> = [
  {
    network: "bitcoin",
    asset: "BTC",
    address: () => addressOf(Uint8Array.of(0x00, 0x14, ...randomBytes(20))) ?? "",
    depth: confirmations,
    seenWaiting: true
  },
  {
    network: "tron",
    asset: "USDT_TRON",
    address: () => base58Of(addressOfKey(randomBytes(32).toString("hex"))),
    depth: confirmations,
    seenWaiting: false
  },
  {
    network: "stellar",
    asset: "USDC_XLM",
    address: (account) => muxed(account, randomBytes(8).readBigUInt64BE()),
    depth: 1,
    seenWaiting: false
  }
]

const setUp = Effect.fnUntraced(function* ({ address, network }: Case) {
  const service = yield* Service
  const partner = service.partners[network]
  const node = localNode(service[network].controlUrl)
  const one = (txHash: string) =>
    Effect.map(partner.deposits.list({ query: { after: 0, limit: 500 } }), ({ deposits }) =>
      deposits.find(({ tx_hash }) => tx_hash === txHash)
    )
  const untilIt = (what: string, txHash: string, right: (deposit: Deposit) => boolean) =>
    Effect.map(
      until(what, one(txHash), (deposit) => deposit !== undefined && right(deposit)),
      (deposit) => deposit as Deposit // `until` gives nothing else
    )
  return {
    ...service,
    ...node,
    partner,
    untilIt,
    untilIs: (txHash: string, status: Deposit["status"], after = 0) =>
      untilIt(`${status} after ${after}`, txHash, (row) => row.status === status && row.change_seq > after),
    /** A registered address that nobody has used. */
    newAddress: Effect.gen(function* () {
      const fresh = address(service.stellar.fundedAddress)
      yield* register(partner, network, [fresh])
      return fresh
    }),
    kinds: (id: string) =>
      Effect.map(allEvents(partner), (events) =>
        events.filter(({ data }) => data["deposit_id"] === id).map(({ kind }) => kind.replace("deposit.", ""))
      )
  }
})

layer(Service.layer, { excludeTestServices: true })("a whole service", (it) => {
  for (const one of cases) {
    const { asset, depth, network, seenWaiting } = one

    it.effect(`takes a deposit on ${network}: registered, paid, detected, confirmed, credited`, () =>
      Effect.gen(function* () {
        const { check, fund, kinds, mine, newAddress, partner, untilIs, untilIt } = yield* setUp(one)
        const address = yield* newAddress
        const txHash = yield* fund(address, asset, "1.25")
        if (seenWaiting) {
          const waits = yield* untilIs(txHash, "DETECTED")
          assert.deepInclude(waits, { block_number: null, block_time: null, confirmations: 0, historical: false })
        }
        yield* mine(1)
        const mined = yield* untilIt("mined", txHash, ({ block_number }) => block_number !== null)
        assert.deepInclude(mined, { address, required_confirmations: depth })
        if (depth > 1) {
          assert.strictEqual(mined.status, "DETECTED")
          yield* mine(depth - 1)
        }
        const confirmed = yield* untilIs(txHash, "CONFIRMED")
        assert.strictEqual(confirmed.block_number, mined.block_number)
        assert.deepStrictEqual(yield* kinds(confirmed.id), ["detected", "confirmed", "settled"])
        assert.strictEqual(yield* availableOf(partner, asset), "1.25")
        assert.deepInclude(yield* check, { code: 0, stderr: "" })
      })
    )

    // a ledger of stellar is final when it is closed
    if (network !== "stellar") {
      it.effect(
        `takes back a credited deposit on ${network} that a reorganisation loses, and moves one that it keeps`,
        () =>
          Effect.gen(function* () {
            const { check, fund, kinds, mine, newAddress, partner, reorg, untilIs } = yield* setUp(one)
            const before = yield* availableOf(partner, asset)
            const address = yield* newAddress
            const lost = yield* fund(address, asset, "0.5")
            yield* mine(confirmations)
            const credited = yield* untilIs(lost, "CONFIRMED")
            assert.notStrictEqual(yield* availableOf(partner, asset), before)
            yield* reorg(confirmations, false)
            yield* mine(1)
            const gone = yield* untilIs(lost, "REORGED")
            assert.deepInclude(gone, { id: credited.id, confirmations: 0, confirmed_at: null })
            assert.strictEqual(yield* availableOf(partner, asset), before)
            assert.deepStrictEqual(yield* kinds(gone.id), ["detected", "confirmed", "settled", "reorged"])

            const kept = yield* fund(address, asset, "0.25")
            yield* mine(confirmations)
            const first = yield* untilIs(kept, "CONFIRMED")
            yield* reorg(confirmations, true)
            yield* mine(1)
            const again = yield* untilIs(kept, "CONFIRMED", first.change_seq)
            assert.strictEqual(again.id, first.id)
            assert.strictEqual(Number(yield* availableOf(partner, asset)), Number(before) + 0.25)
            assert.deepInclude(yield* check, { code: 0, stderr: "" })
          })
      )
    }

    it.effect(`loses no deposit on ${network} whatever its node does`, () =>
      Effect.gen(function* () {
        const { check, fault, faults, fund, heal, kinds, mine, newAddress, status, untilIs } = yield* setUp(one)
        const address = yield* newAddress
        // They take turns, each with two calls; what is sent twice is never asked for.
        const all = ["drop", "delay", "lost_reply", "empty", "lag", "refuse", "garbage", "duplicate"]
        yield* Effect.forEach(all, (kind) => fault(kind, 2))
        const paid: Array<string> = []
        for (const amount of ["0.01", "0.02", "0.03"]) {
          paid.push(yield* fund(address, asset, amount))
          yield* mine(1)
        }
        yield* mine(depth)
        for (const txHash of paid) {
          const confirmed = yield* untilIs(txHash, "CONFIRMED")
          assert.deepStrictEqual(yield* kinds(confirmed.id), ["detected", "confirmed", "settled"])
        }
        yield* until("the last fault", faults, (pending) => pending.every((kind) => kind === "duplicate"))
        yield* heal
        yield* until("health", status(network), (now) => now?.watcher_status === "FOLLOWING" && now.problem === null)
        assert.deepInclude(yield* check, { code: 0, stderr: "" })
      })
    )
  }

  it.effect("takes what comes to an account of stellar that is registered, but for the parts of it that are", () =>
    Effect.gen(function* () {
      const stellarCase = cases.find(({ network }) => network === "stellar") as Case
      const { check, fund, mine, newAddress, partner, stellar, untilIs } = yield* setUp(stellarCase)
      const account = stellar.fundedAddress
      const part = yield* newAddress
      yield* register(partner, "stellar", [account])
      const stranger = stellarCase.address(account)
      for (const [to, found] of [
        [part, part],
        [stranger, account],
        [account, account]
      ] as const) {
        const txHash = yield* fund(to, "XLM", "2")
        yield* mine(1)
        const deposit = yield* untilIs(txHash, "CONFIRMED")
        assert.deepInclude(deposit, { address: found, reference: `customer ${found}`, historical: false })
      }
      assert.strictEqual(yield* availableOf(partner, "XLM"), "6")
      assert.deepInclude(yield* check, { code: 0, stderr: "" })
    })
  )

  it.effect("tells a replaced transaction of bitcoin from the one that replaced it", () =>
    Effect.gen(function* () {
      const { bitcoin, check, kinds, mine, newAddress, partner, untilIs } = yield* setUp(cases[0] as Case)
      const before = yield* availableOf(partner, "BTC")
      const [one, other] = [yield* newAddress, yield* newAddress]
      const wallet = makeWallet(bitcoin.funded.privateKey)
      const pay = (address: string, units: bigint) => wallet.pay(bitcoin.node, [{ script: scriptOf(address)!, units }])
      const first = pay(one, 100_000_000n)
      // what is left after this goes to the fee, which so is higher than that of the first
      const second = pay(other, 5_000_000_000n - 1_000n)
      if (first === undefined || second === undefined) return assert.fail("the wallet is empty")
      const send = ({ hex }: { readonly hex: string }) =>
        Effect.promise(async () => {
          const { origin, password, username } = new URL(bitcoin.rpcUrl)
          const response = await fetch(origin, {
            method: "POST",
            headers: { authorization: `Basic ${btoa(`${username}:${password}`)}` },
            body: JSON.stringify({ id: 1, method: "sendrawtransaction", params: [hex] })
          })
          if (!response.ok) throw new Error(await response.text())
        })
      yield* send(first)
      const waits = yield* untilIs(first.txid, "DETECTED")
      assert.isNull(waits.block_number)
      yield* send(second)
      const replaced = yield* untilIs(first.txid, "REORGED")
      assert.deepInclude(replaced, { id: waits.id, block_number: null })
      yield* untilIs(second.txid, "DETECTED")
      yield* mine(confirmations)
      const confirmed = yield* untilIs(second.txid, "CONFIRMED")
      assert.strictEqual(confirmed.amount.amount, "49.99999")
      assert.deepStrictEqual(yield* kinds(waits.id), ["detected", "reorged"])
      assert.strictEqual(Number(yield* availableOf(partner, "BTC")).toFixed(5), (Number(before) + 49.99999).toFixed(5))
      assert.deepInclude(yield* check, { code: 0, stderr: "" })
      return undefined
    })
  )

  it.effect("goes on after its worker was killed, with deposits waiting, mined and lost meanwhile", () =>
    Effect.gen(function* () {
      const { bitcoin, check, env, worker } = yield* Service
      const [onBitcoin, onTron] = [yield* setUp(cases[0] as Case), yield* setUp(cases[1] as Case)]
      const [here, there] = [yield* onBitcoin.newAddress, yield* onTron.newAddress]
      const stays = yield* onBitcoin.fund(here, "BTC", "0.1")
      const evicted = yield* onBitcoin.fund(here, "BTC", "0.2")
      yield* onBitcoin.untilIs(stays, "DETECTED")
      yield* onBitcoin.untilIs(evicted, "DETECTED")
      assert.strictEqual(yield* worker.kill("SIGKILL"), 137)
      bitcoin.node.mempool.drop([evicted])
      yield* onBitcoin.mine(1)
      const paid = yield* onTron.fund(there, "TRX", "3")
      yield* onTron.mine(1)
      yield* work(env)
      yield* onBitcoin.untilIs(evicted, "REORGED")
      yield* onTron.untilIs(paid, "DETECTED")
      yield* onBitcoin.mine(confirmations - 1)
      yield* onTron.mine(confirmations - 1)
      const confirmed = yield* onBitcoin.untilIs(stays, "CONFIRMED")
      yield* onTron.untilIs(paid, "CONFIRMED")
      assert.deepStrictEqual(yield* onBitcoin.kinds(confirmed.id), ["detected", "confirmed", "settled"])
      assert.strictEqual(yield* availableOf(onTron.partner, "TRX"), "3")
      assert.deepInclude(yield* check, { code: 0, stderr: "" })
    })
  )

  it.effect("starts on no nodes of other chains, and says so of each", () =>
    Effect.gen(function* () {
      const { env, tron } = yield* Service
      const database = yield* migratedDatabase
      const { TRON_GENESIS_BLOCK_ID: _genesis, ...rest } = env
      const wrong = {
        ...rest,
        DATABASE_URL: database.url,
        BITCOIN_CHAIN: "main",
        STELLAR_NETWORK_PASSPHRASE: "another"
      }
      const ended = yield* Effect.all(
        [
          bursar(["serve"], { env: environmentFor("serve", wrong) }),
          bursar(["work"], { env: environmentFor("work", wrong) })
        ],
        {
          concurrency: 2
        }
      )
      for (const { code, stderr } of ended) {
        assert.strictEqual(code, 1)
        assert.match(stderr, /BITCOIN_RPC_URL: .*regtest/u)
        assert.match(stderr, /STELLAR_HORIZON_URL: .*another/u)
        assert.match(stderr, new RegExp(`TRON_NODE_URL: .*${tron.genesisBlockId}`, "u"))
      }
      const sql = yield* sqlOn(database.url)
      assert.deepStrictEqual(yield* sql`select name from network`, [])
    })
  )
})
