import { bursar } from "./support/bursar.ts"
import { environmentFor } from "./support/environmentFor.ts"
import { generateSigningKey } from "@bursar/api/signature/Ed25519"
import { readServeSettings, readWorkSettings } from "@bursar/cli/config/Settings"
import { createClient } from "@bursar/client"
import { checkAll } from "@bursar/core/checker/checkAll"
import type { ChainError } from "@bursar/core/port/Chain"
import { Networks } from "@bursar/core/port/Networks"
import { Tenants } from "@bursar/core/port/Tenants"
import { EvmDevnet } from "@bursar/simulator-evm"
import type { Hex } from "@bursar/simulator-evm/Faucet"
import { canonicalTokens } from "@bursar/simulator-evm/tokens"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Result, Schedule } from "effect"
import { bindNetworks } from "../src/assemble/bindNetworks.ts"
import { runServer } from "../src/assemble/server.ts"
import { layerStorage } from "../src/assemble/storage.ts"
import { layerWork } from "../src/assemble/worker.ts"
import { layerNetworksAlone } from "./support/idleNodes.ts"
import { openTenant, operatorOn } from "./support/tenant.ts"
import { dollarPrices, hurry } from "./support/hurry.ts"
import { until } from "./support/until.ts"
import { confirmations, environmentOf, migratedDatabase, signerOf } from "./support/world.ts"

/** A chain that no code knows, under a name that no code has. */
const chainId = 77_007

const token = canonicalTokens.ethereum.find(({ code }) => code === "USDC_ETH")
if (token === undefined) throw new Error("the simulator has no such token")

/** What the server and the worker of an environment are told. */
const readSettings = (env: Readonly<Record<string, string>>) =>
  Result.flatMap(readServeSettings(environmentFor("serve", env)), (serving) =>
    Result.map(readWorkSettings(environmentFor("work", env)), (working) => ({ ...serving, ...working }))
  )

const networksText = (rpcUrl: string, more: Readonly<Record<string, unknown>> = {}) =>
  JSON.stringify([
    {
      name: "orchard",
      family: "evm",
      chain_id: chainId,
      environment: "test",
      native: { code: "PLUM", name: "Plum", decimals: 18 },
      tokens: [{ code: "USDC_ORCHARD", name: "USD Coin on Orchard", contract: token.address, decimals: 6 }],
      finality: confirmations,
      rpc_urls: [rpcUrl],
      poll_interval_ms: 200,
      fees: { gas_price_max_gwei: "200", transaction_max: "0.2", top_up_max: "0.05" },
      ...more
    }
  ])

const receiver = "0x00000000000000000000000000000000c0ffee00"

describe("an EVM network of the configuration alone", () => {
  it.live(
    "takes deposits, sweeps them, estimates, pays and proves payments through the partner API, and the books are right",
    () =>
      Effect.gen(function* () {
        const [database, devnet] = yield* Effect.all(
          [migratedDatabase, EvmDevnet.make({ network: "ethereum", chainId, slotsInEpoch: 1 })],
          { concurrency: 2 }
        )
        const { faucet } = devnet
        const env = { ...environmentOf(database.url), NETWORKS: networksText(devnet.rpcUrl) }
        const settings = Result.getOrThrow(readSettings(env))
        yield* signerOf(env)
        yield* Effect.gen(function* () {
          yield* bindNetworks(settings)
          const { operator: operatorPort, partner: partnerPort } = yield* runServer(settings)
          yield* Layer.build(layerWork(settings, hurry))
          yield* Effect.forkScoped(Effect.repeat(faucet.mine(1), Schedule.spaced("300 millis")))

          const operator = yield* operatorOn(operatorPort.url)
          const { id: tenantId } = yield* openTenant(operator, "acme")
          const params = { tenant_id: tenantId }
          const { id: keyId, key } = yield* operator.keys.create({
            params,
            payload: {
              label: "all",
              scopes: [
                "deposits:read",
                "deposits:write",
                "deposits:issue",
                "chain_payouts:read",
                "chain_payouts:write",
                "withdrawals:read",
                "quotes:read",
                "register:read",
                "events:read"
              ]
            }
          })
          const { privateJwk, publicJwk } = yield* generateSigningKey
          yield* operator.signingKeys.add({ params, payload: { api_key_id: keyId, public_jwk: publicJwk } })
          const client = createClient({ baseUrl: partnerPort.url, apiKey: key, signingKey: privateJwk })
          const ask = <A>(asked: () => Promise<A>) => Effect.promise(asked)

          // it is listed, and taken wherever a network is
          yield* until(
            "being let in",
            Effect.exit(ask(() => client.introspection.whoami())),
            (exit) => exit._tag === "Success"
          )
          const { currencies } = yield* ask(() => client.introspection.currencies())
          assert.deepStrictEqual(
            currencies
              .filter(({ network }) => network === "orchard")
              .map(({ code, kind, payable_out }) => [code, kind, payable_out]),
            [
              ["PLUM", "COIN", true],
              ["USDC_ORCHARD", "TOKEN", true]
            ]
          )
          const wallet = yield* operator.payouts.createWallet({ params, payload: { network: "orchard" } })
          const { addresses } = yield* ask(() =>
            client.depositAddresses.issue({ network: "orchard", reference: "customer", count: 1 })
          )
          const [address] = addresses
          if (address === undefined) return assert.fail("no address was issued")
          assert.deepStrictEqual(address.watched_networks, ["orchard"])

          // a deposit of a token is credited, and swept to the wallet, which gives its address native asset for that
          yield* faucet.sendNative(wallet.address as Hex, 10n ** 18n)
          yield* faucet.transfer(token, address.address as Hex, 250_000_000n)
          const available = Effect.map(
            ask(() => client.register.float()),
            ({ currencies: all }) => all.find((one) => one.available.currency === "USDC_ORCHARD")?.available.amount
          )
          yield* until("the credit", available, (amount) => amount === "250")
          yield* until(
            "the sweep",
            faucet.tokenBalance(token, wallet.address as Hex),
            (units) => units === 250_000_000n
          )

          // a payout is estimated, sent, settled and proven
          const amount = { amount: "12.5", currency: "USDC_ORCHARD" }
          const estimate = yield* ask(() =>
            client.chainPayouts.estimate({
              network: "orchard",
              currency: "USDC_ORCHARD",
              amount: "12.5",
              address: receiver
            })
          )
          assert.strictEqual(estimate.network_fee?.currency, "PLUM")
          assert.isTrue(estimate.payouts_enabled, estimate.payouts_disabled_reason ?? "")
          const payout = { network: "orchard", amount, destination: { address: receiver }, reference: "invoice" }
          const accepted = yield* until(
            "the payout being taken",
            Effect.exit(ask(() => client.chainPayouts.create(payout, { idempotencyKey: "invoice" }))),
            (exit) => exit._tag === "Success"
          )
          if (accepted._tag !== "Success") return assert.fail("the payout was refused")
          const settled = yield* until(
            "the payout",
            ask(() => client.chainPayouts.get(accepted.value.id)),
            ({ status }) => status === "SETTLED"
          )
          assert.strictEqual(yield* faucet.tokenBalance(token, receiver), 12_500_000n)
          const proof = yield* ask(() =>
            client.withdrawals.prove({
              rail: { currency: "USDC_ORCHARD", network: "orchard" },
              tx_hash: settled.tx_hash ?? "",
              destination: receiver,
              amount,
              senders: [wallet.address]
            })
          )
          assert.strictEqual(proof.verdict, "PROVEN", proof.reason ?? "")

          // without its network the service would neither show nor send what stands there
          const forgetful = Result.getOrThrow(readSettings(environmentOf(database.url)))
          assert.match(String(yield* Effect.flip(bindNetworks(forgetful))), /orchard is missing/u)
          yield* bindNetworks(settings)
          // nor are its books checked without it: they would seem to be tampered with
          const unchecked = yield* bursar(["check"], { env: { DATABASE_URL: database.url } })
          assert.strictEqual(unchecked.code, 1)
          assert.match(unchecked.stderr, /NETWORKS: orchard is missing, and the database knows it/u)

          const { tenants } = yield* (yield* Tenants).list
          for (const { firstWrong, invariant } of yield* checkAll(tenants, settings))
            assert.isNull(firstWrong, invariant)
        }).pipe(
          Effect.scoped,
          Effect.provide(dollarPrices),
          Effect.provide(layerStorage(settings, "configured network"))
        )
      }).pipe(Effect.scoped),
    180_000
  )

  it.live("a reader answers nothing while its node is of another chain, whatever it is asked", () =>
    Effect.gen(function* () {
      const devnet = yield* EvmDevnet.make({ network: "ethereum", chainId })
      const env = environmentOf("postgres://u:p@127.0.0.1/none")
      const NETWORKS = networksText(devnet.rpcUrl, { chain_id: 77_008 })
      const { currencies, networks } = Result.getOrThrow(readSettings({ ...env, NETWORKS }))
      const reader = (yield* Networks.pipe(Effect.provide(layerNetworksAlone(networks, currencies)))).get(
        "orchard"
      )?.reader
      if (reader?.balanceChanges === undefined) return assert.fail("it has no such reader")
      const block = { number: 1, hash: `0x${"1".repeat(64)}`, parentHash: `0x${"0".repeat(64)}`, time: 0 }
      const asked: ReadonlyArray<Effect.Effect<unknown, ChainError>> = [
        reader.tip,
        reader.header(0),
        reader.block(block.hash),
        reader.blockAt(0),
        reader.balanceChanges(block, [receiver])
      ]
      for (const one of asked)
        assert.match((yield* Effect.flip(one)).message, /chain 77007, but orchard is chain 77008/u)
    }).pipe(Effect.scoped)
  )
})
