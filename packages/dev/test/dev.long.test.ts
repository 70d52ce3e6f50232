import { chainIds } from "@bursar/simulator-evm/EvmNetwork"
import type { Hex } from "@bursar/simulator-evm/Faucet"
import { canonicalTokens } from "@bursar/simulator-evm/tokens"
import { scopes } from "@bursar/api/scopes/Scopes"
import { Handshake } from "@bursar/cli/config/Handshake"
import { assert, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { existsSync, readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import { parseAbi, parseUnits } from "viem"
import { bursar } from "../../cli/test/support/bursar.ts"
import { start } from "./support/bursarDev.ts"
import { descendants, untilGone } from "../../cli/test/support/descendants.ts"
import { freshAddress } from "../../cli/test/support/payer.ts"
import { receiver } from "../../cli/test/support/receiver.ts"
import { trySignature } from "../../cli/test/support/signing.ts"
import { tempDir } from "../../cli/test/support/tempDir.ts"
import { allDeposits, allEvents, availableOf, operatorOn, partnerOn, register } from "../../cli/test/support/tenant.ts"
import { until } from "../../cli/test/support/until.ts"
import { walletOn } from "../../cli/test/support/wallet.ts"

const erc20 = parseAbi(["function transfer(address to, uint256 value)"])
const usdt = canonicalTokens.ethereum.find(({ code }) => code === "USDT_ETH")?.address ?? "0x"

/** Starts `bursar-dev` over `.bursar` in a directory and waits until it says that it runs. */
const startDev = Effect.fnUntraced(function* (cwd: string, ...flags: ReadonlyArray<string>) {
  const dataDir = join(cwd, ".bursar")
  const args = ["--port", "0", "--operator-port", "0", "--data-dir", dataDir, ...flags]
  const process = yield* start(args, { cwd })
  yield* process.prints(/^Bursar is running/u)
  const path = join(dataDir, "dev.json")
  const json: unknown = JSON.parse(readFileSync(path, "utf8"))
  const handshake = yield* Schema.decodeUnknownEffect(Handshake)(json)
  const [demo] = handshake.tenants
  const { ethereum } = handshake.networks
  if (demo === undefined) throw new Error("the handshake has no tenant")
  return {
    process,
    path,
    json,
    handshake,
    demo,
    partner: yield* partnerOn(handshake.partner_url, demo.keys["all"] ?? ""),
    operator: yield* operatorOn(handshake.operator_url, handshake.operator_token),
    wallet: walletOn(ethereum.rpc_url, chainIds.ethereum, ethereum.funded_key),
    control: (action: string, body: unknown) =>
      Effect.promise(async () => {
        const response = await fetch(`${ethereum.control_url}/${action}`, {
          method: "POST",
          headers: { "content-type": "application/json" },
          body: JSON.stringify(body)
        })
        if (!response.ok) throw new Error(`${action}: ${await response.text()}`)
      })
  }
})

type Dev = Effect.Success<ReturnType<typeof startDev>>

const statuses = ({ partner }: Dev) =>
  Effect.map(allDeposits(partner), (deposits) => deposits.map(({ status }) => status))

const untilConfirmed = (dev: Dev, count: number) =>
  until(
    `the confirmation of ${count} deposits`,
    statuses(dev),
    (all) => all.length === count && !all.includes("DETECTED")
  )

const sendEth = ({ wallet }: Dev, to: Hex, amount: string) =>
  Effect.promise(() => wallet.sendTransaction({ to, value: parseUnits(amount, 18) }))

const fieldsOf = (value: unknown) => Object.keys(value as object).toSorted()

it.live(
  "bursar-dev: a first deposit with its webhook; what it keeps over stops, kills and starts, and what --fresh forgets",
  () =>
    Effect.gen(function* () {
      const cwd = yield* tempDir
      const address = freshAddress()

      // Begun by hand: nothing is confirmed before it is mined.
      const first = yield* startDev(cwd, "--manual-mining")
      assert.strictEqual(statSync(first.path).mode & 0o777, 0o600)
      checkHandshake(first)
      const { key } = yield* first.partner.introspection.whoami()
      assert.deepStrictEqual(key.scopes.toSorted(), [...scopes].toSorted())
      for (const label of ["chain_payouts", "deposits", "all"]) {
        const { keys, signing } = first.demo
        const checked = yield* trySignature(first.handshake.partner_url, keys[label] ?? "", signing.private_jwk)
        assert.deepInclude(checked, { verified: true, keyid: signing.keyid }, label)
      }

      const secrets: Array<string> = []
      const { received, url } = yield* receiver(secrets)
      const created = yield* bursar(["webhook", "create", "demo", url, "--json"], { cwd })
      assert.strictEqual(created.code, 0, created.stderr)
      secrets.push(JSON.parse(created.stdout).secret)

      yield* register(first.partner, "ethereum", [address])
      yield* sendEth(first, address, "1.5")
      yield* first.control("fund", { address: first.wallet.account.address, asset: "USDT_ETH", amount: "100" })
      yield* Effect.promise(() =>
        first.wallet.writeContract({
          address: usdt,
          abi: erc20,
          functionName: "transfer",
          args: [address, 40_000_000n]
        })
      )
      yield* first.control("fund", { address, asset: "USDT_ETH", amount: "2.5" })
      const detected = yield* until("three deposits", allDeposits(first.partner), (all) => all.length === 3)
      const newest = detected.find(({ amount }) => amount.amount === "2.5")
      assert.deepInclude(newest, { status: "DETECTED", confirmed_at: null, required_confirmations: 3 })
      yield* first.control("mine", { count: 3 })
      yield* untilConfirmed(first, 3)
      assert.strictEqual(yield* availableOf(first.partner, "ETH"), "101.5")
      assert.strictEqual(yield* availableOf(first.partner, "USDT_ETH"), "100042.5")
      yield* checkEvents(first, 3)
      yield* until(
        "every webhook",
        Effect.sync(() => received),
        (all) => all.length >= 9
      )
      // those of different deposits are sent at once, and may arrive in any order
      assert.isTrue(received.every((one) => !("problem" in one)))
      assert.deepStrictEqual(
        received.flatMap((one) => ("id" in one ? [one] : [])).toSorted((one, other) => one.id - other.id),
        (yield* allEvents(first.partner)).map(({ id, kind }) => ({ id, type: kind }))
      )

      yield* stop(first)

      // Found again, and now it mines by itself.
      const second = yield* startDev(cwd)
      assert.deepStrictEqual(second.handshake.tenants, first.handshake.tenants)
      assert.deepStrictEqual(yield* statuses(second), ["CONFIRMED", "CONFIRMED", "CONFIRMED"])
      yield* sendEth(second, address, "0.25")
      yield* untilConfirmed(second, 4)
      assert.strictEqual(yield* availableOf(second.partner, "ETH"), "101.75")
      yield* checkEvents(second, 4)
      yield* until(
        "the webhooks of the fourth",
        Effect.sync(() => received),
        (all) => all.length >= 12
      )
      assert.notProperty(received.at(-1), "problem")

      const started = yield* descendants(second.process.pid)
      assert.isAbove(started.length, 4)
      assert.strictEqual(yield* second.process.kill("SIGKILL"), 137)
      yield* untilGone(started)
      assert.isTrue(existsSync(second.path))

      const third = yield* startDev(cwd)
      assert.deepStrictEqual(third.handshake.tenants, first.handshake.tenants)
      assert.lengthOf(yield* statuses(third), 4)
      yield* sendEth(third, address, "0.25")
      yield* untilConfirmed(third, 5)
      assert.strictEqual(yield* availableOf(third.partner, "ETH"), "102")
      yield* checkEvents(third, 5)
      const checked = yield* bursar(["check"], { cwd })
      assert.strictEqual(checked.code, 0, checked.stdout)
      yield* stop(third)

      const fresh = yield* startDev(cwd, "--fresh")
      assert.lengthOf(yield* statuses(fresh), 0)
      const old = yield* partnerOn(fresh.handshake.partner_url, first.demo.keys["all"] ?? "")
      const refused = yield* Effect.flip(old.introspection.whoami())
      assert.include(JSON.stringify(refused), "key_invalid")
      yield* stop(fresh)
    })
)

/** The file has the fields that are promised, for its owner alone. */
const checkHandshake = ({ handshake, json }: Dev) => {
  assert.deepStrictEqual(fieldsOf(json), [
    "database_url",
    "grants",
    "networks",
    "operator_token",
    "operator_url",
    "partner_url",
    "sandbox",
    "service_name",
    "tenants"
  ])
  assert.deepStrictEqual(
    handshake.tenants.map(({ slug }) => slug),
    ["demo", "other"]
  )
  for (const tenant of handshake.tenants) {
    assert.deepStrictEqual(fieldsOf(tenant), ["id", "keys", "signing", "slug"])
    assert.deepStrictEqual(fieldsOf(tenant.keys), [
      "all",
      "chain_payouts",
      "customers_fiat",
      "deposits",
      "introspection",
      "swaps",
      "swaps_for_customers",
      "withdrawals"
    ])
    assert.deepInclude(tenant.signing.private_jwk, { kty: "OKP", crv: "Ed25519" })
  }
  for (const network of ["ethereum", "bsc", "base"] as const) {
    assert.deepStrictEqual(fieldsOf(handshake.networks[network]), ["control_url", "funded_key", "rpc_url"], network)
  }
}

/** The feed tells of each deposit in order, without a gap. */
const checkEvents = Effect.fnUntraced(function* ({ partner }: Dev, deposits: number) {
  const events = yield* allEvents(partner)
  assert.deepStrictEqual(
    events.map(({ id }) => id),
    Array.from({ length: deposits * 3 }, (_, index) => index + 1)
  )
  for (const [id, told] of Map.groupBy(events, ({ data }) => String(data["deposit_id"]))) {
    const kinds = told.map(({ kind }) => kind)
    assert.deepStrictEqual(kinds, ["deposit.detected", "deposit.confirmed", "deposit.settled"], id)
  }
})

/** Asks it to stop: it ends well, takes its handshake with it and leaves nothing running. */
const stop = Effect.fnUntraced(function* ({ path, process }: Dev) {
  const started = yield* descendants(process.pid)
  // A supervisor and a program each: PostgreSQL and three nodes.
  assert.isAtLeast(started.length, 8)
  assert.strictEqual(yield* process.kill("SIGTERM"), 0, yield* process.output)
  assert.isFalse(existsSync(path))
  yield* untilGone(started)
})
