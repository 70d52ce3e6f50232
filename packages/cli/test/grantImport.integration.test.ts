import { evmDefaults } from "@bursar/cli/config/NetworkSettings"
import { setTenantStatus } from "@bursar/core/access/tenantCommands"
import { adjustFloat } from "@bursar/core/adjustment/adjustFloat"
import { proposeDestination, verifyDestination } from "@bursar/core/destination/destinationCommands"
import { Writer } from "@bursar/core/engine/Writer"
import { of } from "@bursar/core/money/Amount"
import type { Operation } from "@bursar/core/operation/Operation"
import { Payout } from "@bursar/core/payout/Payout"
import { fleetTenantId } from "@bursar/core/grant/Grant"
import { switchNetwork } from "@bursar/core/payout/switchNetwork"
import { Queries } from "@bursar/core/store/Queries"
import { EvmDevnet } from "@bursar/simulator-evm"
import * as Sender from "@bursar/worker/sender/Sender"
import { defaultSendLimits } from "@bursar/worker/transactions/SendLimits"
import { assert, it } from "@effect/vitest"
import { Effect, Redacted, Schedule } from "effect"
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { GrantPlan } from "../src/commands/grantPlanFile.ts"
import { bursar, type Ended } from "./support/bursar.ts"
import { localCurrencies } from "./support/localCurrencies.ts"
import { issue, portsOver } from "./support/ports.ts"
import { seedOf } from "./support/seedOf.ts"
import { signingTenant } from "./support/signedPayouts.ts"
import { tempDir } from "./support/tempDir.ts"
import { until } from "./support/until.ts"
import { environmentOf, migratedDatabase, secrets, serve, sqlOn, work } from "./support/world.ts"

const limits = { ...defaultSendLimits, idleMs: 100, checkFirstMs: 300, checkLongestMs: 1_000 }

const receiver = "0x00000000000000000000000000000000ABc00001"

type SigningTenant = Effect.Success<ReturnType<typeof signingTenant>>

const settled = ({ id, tenantId }: Operation) =>
  Effect.flatMap(Queries, (queries) =>
    until("settling", queries.operation(tenantId, id), (one) => one?.status === "SETTLED")
  )

/** A service that has paid, with settings of all kinds in its rows: some of them nobody should grant. */
const openHistory = Effect.fnUntraced(function* (
  url: string,
  devnet: Effect.Success<ReturnType<typeof EvmDevnet.make>>
) {
  const { faucet } = devnet
  const [writer, sql] = [yield* Writer, yield* sqlOn(url)]
  const [acme, beta, tampered] = [
    yield* signingTenant("ethereum"),
    yield* signingTenant("ethereum"),
    yield* signingTenant("ethereum")
  ]
  const fund = Effect.fnUntraced(function* ({ id, wallet }: SigningTenant) {
    const amount = of(10n ** 18n, "ETH")
    yield* writer.submit(id, adjustFloat({ amount, against: "chain:ethereum:payouts", reason: "funded" }))
    yield* faucet.rpc("anvil_setBalance", [wallet.address, "0x8ac7230489e80000"])
  })
  yield* Effect.forEach([acme, beta], fund)
  yield* issue(acme.id, seedOf(acme.wallet), "ethereum", 1)
  const proposal = { network: "ethereum", memo: null, label: "Treasury", by: "olga", address: receiver }
  const verified = yield* writer.submit(acme.id, proposeDestination({ ...proposal, currency: "ETH" }))
  yield* writer.submit(acme.id, verifyDestination(verified.id, "otto"))
  yield* writer.submit(acme.id, proposeDestination({ ...proposal, currency: "USDT_ETH" }))
  const lower = yield* writer.submit(
    acme.id,
    proposeDestination({ ...proposal, address: receiver.toLowerCase(), currency: "USDC_ETH" })
  )
  yield* writer.submit(acme.id, verifyDestination(lower.id, "otto"))
  yield* writer.submit(beta.id, setTenantStatus("SUSPENDED"))
  yield* writer.submit(fleetTenantId, switchNetwork("bsc", "A reorg.", "olga"))
  // somebody has written another address into a wallet's row
  yield* sql`update payout_wallet set address = ${receiver} where tenant_id = ${tampered.id}`
  yield* Effect.forkScoped(Effect.repeat(faucet.mine(1), Schedule.spaced("500 millis")))
  yield* Effect.scoped(
    Effect.gen(function* () {
      const before = yield* acme.pay("ETH", "0.01", receiver)
      yield* Effect.forkScoped(Sender.run({ currencies: localCurrencies, limits }))
      yield* settled(before)
    })
  )
  return { acme, beta, tampered, fund, sql }
})

const assertRefused = ({ code, stderr }: Ended, says: RegExp) => {
  assert.strictEqual(code, 1)
  assert.match(stderr, says)
}

/** Three approvers with keys, and a service and a signer that go by their root. */
const openCeremony = Effect.fnUntraced(function* (url: string, rpcUrl: string) {
  const cwd = yield* tempDir
  const file = (name: string) => join(cwd, name)
  writeFileSync(file("passphrase"), "correct horse battery staple\n", { mode: 0o600 })
  const approvers = yield* Effect.forEach(["ann", "bob", "cleo"], (id) =>
    Effect.map(
      bursar(["approver", "init", file(`${id}.pem`), "--passphrase-file", file("passphrase"), "--json"], { cwd }),
      ({ stdout }) => ({ id, name: `Approver ${id}`, keys: [JSON.parse(stdout)] })
    )
  )
  writeFileSync(file("root.json"), JSON.stringify({ approvers, quorum: "2", quorums: {} }))
  const env = {
    ...environmentOf(url, { ethereum: rpcUrl }),
    GRANT_ROOT: file("root.json"),
    PUBLIC_AUTHORITIES: "localhost"
  }
  const server = yield* serve(env)
  const operated = {
    BURSAR_OPERATOR_URL: server.operatorUrl,
    OPERATOR_TOKEN: secrets.OPERATOR_TOKEN,
    GRANT_ROOT: file("root.json")
  }
  const run = (...args: ReadonlyArray<string>) => bursar(["grant", "import", ...args], { env: operated, cwd })
  const sign = (plan: string, name: string, ...more: ReadonlyArray<string>) =>
    run(plan, "--key", file(`${name}.pem`), "--passphrase-file", file("passphrase"), "--yes", ...more)
  return { env, file, run, sign }
})

/** Writes a plan whose last grant, a policy, lets more leave than that of another. */
const raiseLast = (from: string, to: string) => {
  const plan: GrantPlan = JSON.parse(readFileSync(from, "utf8"))
  const chains = plan.chains.map((chain, at) => ({
    ...chain,
    entries: chain.entries.map((entry, place) => {
      const isLast = at === plan.chains.length - 1 && place === chain.entries.length - 1
      const document = entry.document.replace('"withdrawal_limit_usd":"50000"', '"withdrawal_limit_usd":"90000"')
      assert.isTrue(!isLast || document !== entry.document)
      return isLast ? { ...entry, document } : entry
    })
  }))
  writeFileSync(to, JSON.stringify({ ...plan, chains }))
}

const done = (ended: Ended) => {
  assert.deepInclude(ended, { code: 0, stderr: "" })
  return ended.stdout
}

it.live(
  "a service with a history grants what it has in one ceremony, and pays by that and by nothing else",
  () =>
    Effect.gen(function* () {
      const devnet = yield* EvmDevnet.make({ network: "ethereum", slotsInEpoch: 1 })
      const { url } = yield* migratedDatabase
      const node = {
        ...evmDefaults,
        environment: "SANDBOX",
        network: "ethereum",
        rpcUrl: Redacted.make(devnet.rpcUrl)
      } as const
      yield* Effect.gen(function* () {
        const queries = yield* Queries
        const { acme, beta, fund, sql, tampered } = yield* openHistory(url, devnet)
        const { env, file, run, sign } = yield* openCeremony(url, devnet.rpcUrl)
        const plan = file("plan.json")

        // the plan shows what would be granted, and what not and why
        const made = done(yield* run(plan))
        assert.match(
          made,
          new RegExp(`Not granted: payout_wallet ethereum\\|${receiver} of t-${tampered.id}: it is not that`, "u")
        )
        assert.match(made, /Not granted: destination .*: nobody has verified it/u)
        assert.match(made, /Not granted: destination .*: Write it 0x0+ABc00001/u)
        assert.match(made, /fleet: 1 to grant\n {2}Note .*\n {2}Proposed .*\n {2}Expires .*\n {2}1\. network bsc/u)
        const shown = made.slice(
          made.indexOf(`\nt-${acme.id} (tenant ${acme.id}): `),
          made.indexOf(`\nt-${beta.id} (tenant ${beta.id}): `)
        )
        const kinds = [...shown.matchAll(/^ {2}\d\. (\w+) /gmu)].map(([, kind]) => kind)
        assert.deepStrictEqual(kinds, ["destination", "signing_key", "payout_wallet", "issuing_account", "policy"])
        assert.include(shown, `address: (nothing) → ${acme.wallet.address}`)
        const [, digest = ""] = /Digest +(\S+)/u.exec(made) ?? []

        // nothing is signed or granted of a plan that is another than the one that was seen, or with too few words
        const changed = file("changed.json")
        raiseLast(plan, changed)
        assertRefused(yield* sign(plan, "ann"), /name the plan that you have reviewed/u)
        assertRefused(yield* sign(file("unseen.json"), "ann", "--json"), /name the plan that you have reviewed/u)
        assert.isFalse(existsSync(file("unseen.json")))
        assertRefused(yield* sign(changed, "ann", "--digest", digest), /not the one that you have reviewed/u)
        assert.include(done(yield* sign(plan, "ann", "--digest", digest)), "(0 of 2 have approved)")
        assert.include(done(yield* sign(plan, "ann", "--digest", digest)), "(1 of 2 have approved)")
        assertRefused(yield* run(plan, "--apply"), /1 of 2 people have approved the plan: nothing was granted/u)
        raiseLast(plan, changed)
        assertRefused(yield* run(changed), /does not fit the chain of .*: the approval of ann does not verify/u)
        assert.deepStrictEqual(yield* sql`select 1 from grant_entry`, [])
        done(yield* sign(plan, "bob", "--digest", digest))

        // what was changed since is not overruled by what was signed before
        yield* sql`update tenant set policy = jsonb_set(policy::jsonb, '{payoutsEnabled}', 'false')::json where tenant_id = ${beta.id}`
        assertRefused(yield* run(plan, "--apply"), /policy policy of .* has changed since the plan was made/u)
        assert.deepStrictEqual(yield* sql`select 1 from grant_entry`, [])
        yield* sql`update tenant set policy = jsonb_set(policy::jsonb, '{payoutsEnabled}', 'true')::json where tenant_id = ${beta.id}`

        // a crash in the middle: the first grant of beta cannot be written, and the next run goes on behind it
        yield* sql`alter table grant_entry add constraint crash check (tenant_id <> ${sql.literal(`'${beta.id}'`)})`
        assert.strictEqual((yield* run(plan, "--apply")).code, 1)
        assert.isAbove((yield* sql`select 1 from grant_entry`).length, 0)
        yield* sql`alter table grant_entry drop constraint crash`
        const { granted, waiting } = JSON.parse(done(yield* run(plan, "--apply", "--json")))
        assert.deepStrictEqual([granted > 10, waiting], [true, 0])
        const again = file("again.json")
        assert.deepInclude(JSON.parse(done(yield* run(again, "--json"))), { granted: 0, ready: 0, waiting: 0 })
        assert.isTrue(existsSync(again))

        // the worker and the signer go by what was granted
        yield* work(env)
        yield* settled(yield* acme.pay("ETH", "0.01", receiver))
        // and by no row: a tenant that came after, one that was suspended, whatever its row says now
        const late = yield* signingTenant("ethereum")
        yield* fund(late)
        yield* sql`update tenant set status = 'ACTIVE' where tenant_id = ${beta.id}`
        const refused = [
          [yield* late.pay("ETH", "0.01", receiver), "no policy was granted to the tenant, so nothing may leave"],
          [yield* beta.pay("ETH", "0.01", receiver), "the tenant is suspended by a grant"]
        ] as const
        for (const [{ id, tenantId }, detail] of refused) {
          const waits = queries.record(tenantId, Payout, id)
          const payout = yield* until("a refusal", waits, (one) => one?.waits?.reason === "not_granted")
          assert.deepInclude(payout, { transactionId: null, attempts: 0 })
          assert.strictEqual(payout?.waits?.detail, detail)
        }
        yield* settled(yield* acme.pay("ETH", "0.01", receiver))
      }).pipe(Effect.provide(portsOver(url, [{ ...node, confirmations: 3, pollIntervalMs: 200 }])))
    }).pipe(Effect.scoped),
  240_000
)
