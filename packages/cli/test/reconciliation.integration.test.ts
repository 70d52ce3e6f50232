import type { Hex } from "@bursar/simulator-evm/Faucet"
import { tokenAbi } from "@bursar/simulator-evm/abis"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { encodeFunctionData } from "viem"
import { bursar } from "./support/bursar.ts"
import { openService } from "./support/service.ts"
import { until } from "./support/until.ts"
import { secrets } from "./support/world.ts"

const thief: Hex = "0x00000000000000000000000000000000000000ee"
const place = "chain:ethereum:payouts"

const dollars = (amount: string) => ({ amount, currency: "USDT_ETH" })

/** A service in processes of its own that compares often, with a wallet that was paid 49 750 and 250 dollars. */
const openWallet = Effect.gen(function* () {
  const service = yield* openService("ethereum", () =>
    Effect.succeed({ RECONCILE_SECONDS: "1", RECONCILE_ALARM_SECONDS: "1", RECONCILE_ON_ALARM: "stop_payouts" })
  )
  const { devnet, operator, server, tenant } = service
  const { faucet } = devnet
  const params = { tenant_id: tenant.id }
  // there is one person, and no price that says what an adjustment is worth
  yield* operator.tenants.changeSettings({ params, payload: { adjustment_review_usd: null } })
  const wallet = yield* operator.payouts.createWallet({
    params,
    payload: { network: "ethereum", role: "PAYOUT" }
  })
  const env = { BURSAR_OPERATOR_URL: server.operatorUrl, OPERATOR_TOKEN: secrets.OPERATOR_TOKEN }
  const run = (...args: ReadonlyArray<string>) =>
    Effect.map(bursar([...args, "--json"], { env }), (ended) => {
      assert.deepInclude(ended, { code: 0, stderr: "" }, args.join(" "))
      return JSON.parse(ended.stdout)
    })
  const token = yield* faucet.token("USDT_ETH")
  for (const units of [49_750_000_000n, 250_000_000n]) yield* faucet.transfer(token, wallet.address as Hex, units)
  yield* faucet.mine(3)
  const walletOf = Effect.map(operator.reconciliation.show(), ({ breaks, places }) => ({
    breaks,
    found: places.find((one) => one.place === place && one.currency === "USDT_ETH")
  }))
  // the books may know of it a block earlier than the node's answers do
  yield* until(
    "the wallet is in the books and seen",
    walletOf,
    ({ found }) => found?.ledger.amount === "50000" && found.observed?.amount === "50000"
  )
  /** Sends from any address, as whoever has its key, and pays no fee: that would be a second loss. */
  const spend = Effect.fnUntraced(function* (from: Hex, to: Hex, units: bigint) {
    yield* faucet.rpc("anvil_impersonateAccount", [from])
    yield* faucet.rpc("anvil_setNextBlockBaseFeePerGas", ["0x0"])
    const data = encodeFunctionData({ abi: tokenAbi, functionName: "transfer", args: [to, units] })
    yield* faucet.rpc("eth_sendTransaction", [{ from, to: token.address, data, gas: "0x1e848", gasPrice: "0x0" }])
    yield* faucet.mine(3)
  })
  return { ...service, run, spend, wallet: wallet.address as Hex, walletOf }
})

describe("a wallet whose key was stolen", () => {
  it.live(
    "is one break of its place and of what is gone: with candidates, an alarm, a metric and a stop, until it is accounted for",
    () =>
      Effect.gen(function* () {
        const { operator, run, server, spend, tenant, wallet, walletOf, worker } = yield* openWallet
        const calm = yield* walletOf
        assert.deepStrictEqual(calm.breaks, [])
        assert.deepInclude(calm.found, { observed: dollars("50000"), difference: dollars("0") })

        yield* spend(wallet, thief, 250_000_000n)
        const { breaks, found } = yield* until("the theft is found", walletOf, ({ breaks: all }) => all.length > 0)
        const [broken, ...others] = breaks
        if (broken === undefined || found === undefined) return assert.fail("nothing was found")
        assert.deepStrictEqual(others, [])
        assert.deepInclude(broken, { place, currency: "USDT_ETH", difference: dollars("250"), closed_at: null })
        assert.deepInclude(found, { ledger: dollars("50000"), observed: dollars("49750"), difference: dollars("250") })
        assert.isAtMost(broken.since_block ?? Infinity, found.block_number ?? 0)
        // the booking of the same amount at the same place, and not the one of another
        assert.deepStrictEqual(
          broken.candidates.map(({ kind, tenant_id }) => [kind, tenant_id]),
          [["operation", tenant.id]]
        )

        const { annotations } = yield* worker.says("reconciliation.alarm")
        assert.deepInclude(annotations, { place, currency: "USDT_ETH", units: "250000000", break: broken.id })
        yield* worker.says("reconciliation.payouts_stopped")
        const { networks } = yield* operator.health.networks()
        const ethereum = networks.find(({ network }) => network === "ethereum")
        assert.deepInclude(ethereum, { payouts_enabled: false, payouts_switched_by: "reconciliation" })
        // `bursar reconcile --json` is what scripts read
        const told = yield* run("reconcile")
        assert.sameMembers(Object.keys(told), ["breaks", "places"])
        assert.strictEqual(told.breaks[0]?.id, broken.id)
        const metrics = yield* Effect.promise(async () => (await fetch(`${server.operatorUrl}/metrics`)).text())
        assert.match(metrics, /^bursar_reconciliation_difference\{[^}]*place="chain:ethereum:payouts"[^}]*\} 250$/mu)

        // it comes back from outside: the books have it in suspense until somebody says what it is
        yield* spend(thief, wallet, 250_000_000n)
        yield* until("what came back is named", walletOf, ({ breaks: [one] }) => one?.candidates.length === 2)
        const words = ["--from", "payout_wallet", "--to", "suspense", "--reason", "The stolen coin is back"]
        yield* run("float", "move", "acme", "USDT_ETH", "--amount", "250", ...words)
        const after = yield* until("the break is closed", walletOf, ({ breaks: all }) => all.length === 0)
        assert.deepInclude(after.found, { observed: dollars("50000"), difference: dollars("0") })
        const { breaks: past } = yield* operator.reconciliation.breaks({ query: {} })
        assert.deepStrictEqual(
          past.map(({ id, state }) => [id, state]),
          [[broken.id, "closed"]]
        )
        return undefined
      }).pipe(Effect.scoped),
    120_000
  )
})
