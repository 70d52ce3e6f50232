import * as Writer from "@bursar/core/engine/Writer"
import type { GrantKind, GrantValues } from "@bursar/core/grant/GrantDocument"
import { policyValues } from "@bursar/core/grant/PolicyValues"
import { adjustFloat } from "@bursar/core/adjustment/adjustFloat"
import { of } from "@bursar/core/money/Amount"
import type { Operation } from "@bursar/core/operation/Operation"
import { Queries } from "@bursar/core/store/Queries"
import { Tenants } from "@bursar/core/port/Tenants"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { evmDefaults } from "../../src/config/NetworkSettings.ts"
import { EvmDevnet } from "@bursar/simulator-evm"
import type { Hex } from "@bursar/simulator-evm/Faucet"
import { testApprover, testRoot } from "@bursar/testkit/fixtures/grants"
import { Context, Effect, Layer, Redacted, Scope } from "effect"
import { type Running, start } from "../support/bursar.ts"
import { environmentFor } from "../support/environmentFor.ts"
import { freshAddress } from "../support/payer.ts"
import { portsOver } from "../support/ports.ts"
import { openWorldRoles } from "../support/roles.ts"
import { type SignedPayout, signingTenant } from "../support/signedPayouts.ts"
import { operatorOn } from "../support/tenant.ts"
import { until } from "../support/until.ts"
import { confirmations, environmentOf, migratedDatabase, sqlOn } from "../support/world.ts"

const ether = 10n ** 18n

/** What each payout of these tests pays, in dollars and in base units. */
export const price = { currency: "USDT_ETH", amount: "1.5", units: 1_500_000n } as const

/** What each wallet holds of dollars at the beginning, in base units. */
const funded = 1_000_000_000n

/** A process of the service that can be ended and started anew. */
const restartable = Effect.fnUntraced(function* (
  role: "serve" | "work" | "sign",
  env: Readonly<Record<string, string>>
) {
  const scope = yield* Effect.scope
  const ready = { serve: "server.started", work: "sender.started", sign: "signer.started" } as const
  const open = Effect.gen(function* () {
    const running: Running = yield* Effect.provideService(
      start([role], { env: environmentFor(role, env) }),
      Scope.Scope,
      scope
    )
    return { running, said: yield* running.says(ready[role]) }
  })
  let now = yield* open
  return {
    now: () => now,
    restart: Effect.suspend(() => Effect.andThen(now.running.kill("SIGTERM"), open)).pipe(
      Effect.tap((next) => Effect.sync(() => void (now = next)))
    ),
    /** Stops the process in the middle of whatever it does, while something else is done. */
    whileFrozen: <A, E, R>(use: Effect.Effect<A, E, R>) =>
      Effect.acquireUseRelease(
        Effect.sync(() => process.kill(now.running.pid, "SIGSTOP")),
        () => use,
        () => Effect.sync(() => process.kill(now.running.pid, "SIGCONT"))
      )
  }
})

/** A line of a log that names an event, and has some text. */
const lineOf = (event: string, text: string) =>
  new RegExp(`^(?=.*"${event.replaceAll(".", "\\.")}")(?=.*${text}).*$`, "iu")

/**
 * A whole service in four processes, each with its own role of the database, which goes by grants: two tenants whose partners are paid
 * for on a local network. Whoever attacks it has the database (`submit`, `sql`), or what the attack says.
 */
const open = Effect.gen(function* () {
  const [database, devnet] = yield* Effect.all(
    [migratedDatabase, EvmDevnet.make({ network: "ethereum", slotsInEpoch: 1 })],
    { concurrency: 2 }
  )
  const databaseUrl = database.url
  const sql = yield* sqlOn(databaseUrl)
  const as = yield* openWorldRoles(databaseUrl)
  const approvers = [yield* testApprover("ann", 1), yield* testApprover("bob", 2)]
  const env = {
    ...environmentOf(databaseUrl, { ethereum: devnet.rpcUrl }),
    GRANT_ROOT: JSON.stringify(testRoot(approvers, 2))
  }
  const signer = yield* restartable("sign", { ...env, DATABASE_URL: as.sign })
  const [server, worker] = yield* Effect.all(
    [restartable("serve", { ...env, DATABASE_URL: as.serve }), restartable("work", { ...env, DATABASE_URL: as.work })],
    { concurrency: 2 }
  )
  const { faucet } = devnet
  yield* Effect.andThen(faucet.setAutomine(false), faucet.rpc("evm_setIntervalMining", [1]))
  const { operator: operatorUrl = "", partner: partnerUrl = "" } = server.now().said.annotations
  const operator = yield* operatorOn(operatorUrl)
  const ports = yield* Layer.build(
    portsOver(databaseUrl, [
      {
        ...evmDefaults,
        environment: "SANDBOX",
        network: "ethereum",
        rpcUrl: Redacted.make(devnet.rpcUrl),
        confirmations,
        pollIntervalMs: 200
      }
    ])
  )
  const { submit } = Context.get(ports, Writer.Writer)
  const token = yield* faucet.token(price.currency)

  /** What everybody agrees to. */
  const grant = Effect.fnUntraced(function* <K extends GrantKind>(chain: string, kind: K, values: GrantValues<K>) {
    const { hash, id } = yield* operator.grants.propose({ params: { chain }, payload: { kind, values: { ...values } } })
    for (const { sign } of approvers) {
      const approval = yield* sign(hash)
      yield* operator.grants.approve({ params: { chain, proposal_id: id }, payload: { approval } })
    }
  })

  /** What a wallet has on the chain and in the books. */
  const holds = Effect.fnUntraced(function* (id: TenantId, wallet: string) {
    const [row] = yield* sql<{ readonly units: string }>`select units::text from balance
      where tenant_id = ${id} and account = 'chain:ethereum:payouts' and currency = ${price.currency}`
    return { onChain: yield* faucet.tokenBalance(token, wallet as Hex), inBooks: BigInt(row?.units ?? "0") }
  })

  const queries = Context.get(ports, Queries)

  /** Waits until somebody has been paid what an operation says, on the chain and in the books. */
  const untilPaid = ({ id, tenantId }: Operation, to: string) =>
    until("the payout is settled", queries.operation(tenantId, id), (now) => now?.status === "SETTLED").pipe(
      Effect.andThen(faucet.tokenBalance(token, to as Hex)),
      Effect.flatMap((units) =>
        units === price.units ? Effect.void : Effect.die(new Error(`${to} was paid ${units}`))
      )
    )

  /** A tenant to which everything is granted, with a full wallet. */
  const openPartner = Effect.gen(function* () {
    const pair = yield* Effect.provide(signingTenant("ethereum"), ports)
    const { apiKeyId, id, keyid, publicKey, wallet } = pair
    const tenant = yield* Context.get(ports, Tenants).byId(id)
    if (tenant === undefined) return yield* Effect.die(new Error("there is no such tenant"))
    yield* grant(id, "policy", policyValues({ ...tenant.policy, ipAllowlist: null }))
    yield* grant(id, "signing_key", { api_key_id: apiKeyId, keyid, public_key: publicKey, state: "ACTIVE" })
    yield* grant(id, "payout_wallet", { network: "ethereum", role: "PAYOUT", address: wallet.address, state: "ACTIVE" })
    yield* faucet.rpc("anvil_setBalance", [wallet.address, `0x${(10n * ether).toString(16)}`])
    yield* submit(id, adjustFloat({ amount: of(10n * ether, "ETH"), against: "chain:ethereum:payouts", reason: "gas" }))
    yield* faucet.mint(token, wallet.address as Hex, funded)
    const lines = queries.accountLines(id, {
      account: "chain:ethereum:payouts",
      currency: price.currency,
      limit: 1
    })
    yield* until("what the wallet was paid is booked", lines, ({ length }) => length > 0)
    const credit = adjustFloat({ amount: of(funded, price.currency), against: "suspense", reason: "funded" })
    yield* submit(id, credit)
    return {
      ...pair,
      holds: holds(id, wallet.address),
      ask: (to: string) => pair.sign(price.currency, price.amount, to),
      book: (signed: SignedPayout) => Effect.provide(pair.book(signed), ports),
      /** Pays somebody new, and waits until that is on the chain. */
      payHonestly: Effect.gen(function* () {
        const to = freshAddress()
        const operation = yield* Effect.provide(pair.pay(price.currency, price.amount, to), ports)
        yield* untilPaid(operation, to)
      })
    }
  })
  const victim = yield* openPartner
  const other = yield* openPartner
  yield* victim.payHonestly
  return {
    as,
    env,
    faucet,
    grant,
    holdsDollars: (address: string) => faucet.tokenBalance(token, address as Hex),
    operator,
    operatorUrl,
    other,
    partnerUrl,
    ports,
    server,
    signer,
    sql,
    submit,
    token,
    untilPaid,
    victim,
    worker,
    /** Waits until the signer says so, or the server, or the worker; gives the line. */
    alarm: (process: "server" | "signer" | "worker", event: string, text = "") =>
      ({ server, signer, worker })[process].now().running.prints(lineOf(event, text))
  }
})

/** A service that is attacked. */
export class AttackedService extends Context.Service<AttackedService, Effect.Success<typeof open>>()(
  "test/AttackedService"
) {
  static readonly layer = Layer.effect(AttackedService, open)
}

/** A service that is attacked. */
export type Attacked = AttackedService["Service"]
