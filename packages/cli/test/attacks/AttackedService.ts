import * as Writer from "@bursar/core/engine/Writer"
import type { GrantKind, GrantValues } from "@bursar/core/grant/GrantDocument"
import { policyValues } from "@bursar/core/grant/PolicyValues"
import { adjustFloat } from "@bursar/core/adjustment/adjustFloat"
import { of } from "@bursar/core/money/Amount"
import type { Operation } from "@bursar/core/operation/Operation"
import { Queries } from "@bursar/core/store/Queries"
import { Tenants } from "@bursar/core/port/Tenants"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { evmDefaults, type NetworkSettings } from "../../src/config/NetworkSettings.ts"
import { EvmDevnet } from "@bursar/simulator-evm"
import type { Hex } from "@bursar/simulator-evm/Faucet"
import { testApprover, testRoot } from "@bursar/testkit/fixtures/grants"
import { Context, Effect, Layer, Redacted, Scope } from "effect"
import { createHash } from "node:crypto"
import { writeOperator } from "../../src/config/operators.ts"
import { type Running, start, startProgram } from "../support/bursar.ts"
import { programAt } from "../support/programAt.ts"
import { callOf, expectAnswer, signed } from "../support/calls.ts"
import { environmentFor } from "../support/environmentFor.ts"
import { lookVariable } from "../support/lookVariable.ts"
import { lyingNode } from "../support/lyingNode.ts"
import { freshAddress, makePayer } from "../support/payer.ts"
import { portsOver } from "../support/ports.ts"
import { openWorldRoles } from "../support/roles.ts"
import { type SignedPayout, signingPair, signingTenant } from "../support/signedPayouts.ts"
import { operatorOn } from "../support/tenant.ts"
import { soon } from "../support/until.ts"
import { confirmations, environmentOf, migratedDatabase, sqlOn } from "../support/world.ts"

const ether = 10n ** 18n

/** What each payout of these tests pays, in dollars and in base units. */
const price = { currency: "USDT_ETH", amount: "1.5", units: 1_500_000n } as const

/** What each wallet holds of dollars at the beginning, in base units. */
const funded = 1_000_000_000n

const hurriedWorker = programAt(new URL("../support/hurriedWorker.ts", import.meta.url))

/** What a tenant has. */
export interface Held {
  /** Of dollars in its wallet, by the chain. */
  readonly onChain: bigint
  /** Of dollars in its wallet, by the books. */
  readonly inBooks: bigint
  /** All of its balances, as a text. */
  readonly books: string
}

/** A process of the service that can be ended and started anew. It ends hard with the scope. */
const restartable = Effect.fnUntraced(function* (
  role: "serve" | "work" | "sign",
  env: Readonly<Record<string, string>>
) {
  const scope = yield* Effect.scope
  const ready = { serve: "server.started", work: "sender.started", sign: "signer.started" } as const
  const surroundings = { env: environmentFor(role, env) }
  const open = Effect.gen(function* () {
    const started = role === "work" ? startProgram(hurriedWorker, [], surroundings) : start([role], surroundings)
    const running: Running = yield* Effect.provideService(started, Scope.Scope, scope)
    yield* Scope.addFinalizer(scope, Effect.ignore(Effect.try(() => process.kill(running.pid, "SIGKILL"))))
    return { running, said: yield* running.says(ready[role]) }
  })
  /** Runs it once with other words, to its end. */
  const ran = (...words: ReadonlyArray<string>) =>
    Effect.scoped(
      Effect.flatMap(start([role, ...words], surroundings), ({ ended, output }) =>
        Effect.flatMap(ended, (code) => Effect.map(output, (said) => ({ code, said })))
      )
    )
  let now = yield* open
  const restartAfter = <A, E, R>(between: Effect.Effect<A, E, R>) =>
    Effect.suspend(() => now.running.kill("SIGTERM")).pipe(
      Effect.andThen(between),
      Effect.andThen(open),
      Effect.tap((next) => Effect.sync(() => void (now = next)))
    )
  return {
    now: () => now,
    restart: restartAfter(Effect.void),
    /** Ends it, gives up what it lists of a database that was restored, where that is so many things, and starts it anew. */
    restartGivingUp: (count: number) =>
      restartAfter(
        Effect.gen(function* () {
          const listed = yield* ran("--restored")
          const [, name = ""] = new RegExp(`--giving-up (${count}-\\w+)`, "u").exec(listed.said) ?? []
          const given = yield* ran("--restored", "--giving-up", name)
          if (given.code !== 0) yield* Effect.die(new Error(`${listed.said}${given.said}`))
        })
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

/** A line of a log that names an event, and has some texts. */
const lineOf = (event: string, texts: ReadonlyArray<string>) =>
  new RegExp(`^(?=.*"${event.replaceAll(".", "\\.")}")${texts.map((text) => `(?=.*${text})`).join("")}.*$`, "iu")

/** What a line of a log says, in short. */
const alarmOf = (line: string): string => {
  const { annotations = {}, message } = JSON.parse(line)
  const { code, detail, place, reason, said } = annotations
  return `${message}: ${detail ?? reason ?? code ?? said ?? place ?? ""}`
}

/** Operators, each with a token of their own. */
const tokens = { olga: `olga-${"0123456789abcdef".repeat(2)}`, mallory: `mallory-${"0123456789abcdef".repeat(2)}` }

const operators = Object.entries(tokens).map(([name, token]) =>
  writeOperator({ name, role: "admin", tokenHash: createHash("sha256").update(token).digest("hex") })
)

/** What partners may do with their keys. */
const allScopes = [
  "deposits:read",
  "deposits:write",
  "deposits:issue",
  "chain_payouts:read",
  "chain_payouts:write",
  "withdrawals:write",
  "swaps:write",
  "transfers:write",
  "register:read",
  "events:read"
] as const

/** The chain, a node of it that can be made to lie, and the service on both. Two people of three have to agree to anything. */
const openWorld = Effect.gen(function* () {
  const [database, devnet] = yield* Effect.all(
    [migratedDatabase, EvmDevnet.make({ network: "ethereum", slotsInEpoch: 1 })],
    { concurrency: 2 }
  )
  const liar = yield* lyingNode(devnet.anvil.rpcUrl)
  const as = yield* openWorldRoles(database.url)
  const approvers = yield* Effect.all([testApprover("ann", 1), testApprover("bob", 2), testApprover("mallory", 3)])
  const { OPERATOR_TOKEN: _, ...common } = environmentOf(database.url, { ethereum: devnet.rpcUrl })
  const env = {
    ...common,
    OPERATORS: operators.join(","),
    ETHEREUM_RPC_URL: `${liar.url},${devnet.anvil.rpcUrl}`,
    ETHEREUM_NODE_OPERATORS: "bought,honest",
    [lookVariable]: "200",
    GRANT_ROOT: JSON.stringify(testRoot(approvers, 2))
  }
  const signer = yield* restartable("sign", { ...env, DATABASE_URL: as.sign })
  const [server, worker] = yield* Effect.all(
    [restartable("serve", { ...env, DATABASE_URL: as.serve }), restartable("work", { ...env, DATABASE_URL: as.work })],
    { concurrency: 2 }
  )
  const payer = yield* makePayer(devnet, price.currency)
  yield* devnet.faucet.setAutomine(false)
  const { operator: operatorUrl = "", partner: partnerUrl = "" } = server.now().said.annotations
  const networks: ReadonlyArray<NetworkSettings> = [
    {
      ...evmDefaults,
      environment: "SANDBOX",
      network: "ethereum",
      rpcUrl: Redacted.make(devnet.anvil.rpcUrl),
      confirmations,
      pollIntervalMs: 200
    }
  ]
  return {
    approvers,
    as,
    database,
    devnet,
    env,
    liar,
    networks,
    operatorUrl,
    partnerUrl,
    payer,
    server,
    signer,
    worker
  }
})

/**
 * A whole service in four processes, each with its own role of the database, which goes by grants: two tenants whose partners are paid
 * for on a local network. Whoever attacks it has the database (`submit`, `sql`), or what the attack says.
 */
const open = Effect.gen(function* () {
  const world = yield* openWorld
  const { approvers, database, devnet, networks, operatorUrl, partnerUrl, server, signer, worker } = world
  const { faucet } = devnet
  const sql = yield* sqlOn(database.url)
  const operator = yield* operatorOn(operatorUrl, tokens.olga)
  const ports = yield* Layer.build(portsOver(database.url, networks))
  const { submit } = Context.get(ports, Writer.Writer)
  const queries = Context.get(ports, Queries)
  const token = yield* faucet.token(price.currency)

  /** Blocks come while something is waited for, and at no other time. */
  const mining = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
    Effect.raceFirst(effect, Effect.forever(Effect.andThen(faucet.mine(1), Effect.sleep("100 millis"))))

  /** Has two people agree to a proposal. */
  const agree = Effect.fnUntraced(function* (chain: string, proposalId: string) {
    const params = { chain, proposal_id: proposalId }
    const { hash } = yield* operator.grants.show({ params })
    for (const { sign } of approvers.slice(0, 2)) {
      // what lowers a risk takes one
      const { state } = yield* operator.grants.approve({ params, payload: { approval: yield* sign(hash) } })
      if (state !== "OPEN") return
    }
  })

  /** What everybody agrees to. */
  const grant = Effect.fnUntraced(function* <K extends GrantKind>(chain: string, kind: K, values: GrantValues<K>) {
    const { id } = yield* operator.grants.propose({ params: { chain }, payload: { kind, values: { ...values } } })
    yield* agree(chain, id)
  })

  const holds = Effect.fnUntraced(function* (id: TenantId, wallet: string) {
    const rows = yield* sql<{ readonly account: string; readonly currency: string; readonly units: string }>`
      select account, currency, units::text from balance where tenant_id = ${id} and units <> 0 order by account, currency`
    const inWallet = rows.find((row) => row.account === "chain:ethereum:payouts" && row.currency === price.currency)
    return {
      onChain: yield* faucet.tokenBalance(token, wallet as Hex),
      inBooks: BigInt(inWallet?.units ?? "0"),
      books: rows.map(({ account, currency, units }) => `${account} ${units} ${currency}`).join(", ")
    } satisfies Held
  })

  /** Waits until somebody has been paid what an operation says, on the chain and in the books. */
  const untilPaid = ({ id, tenantId }: Pick<Operation, "id" | "tenantId">, to: string) =>
    mining(soon("the payout is settled", queries.operation(tenantId, id), (now) => now?.status === "SETTLED")).pipe(
      Effect.andThen(faucet.tokenBalance(token, to as Hex)),
      Effect.flatMap((units) =>
        units === price.units ? Effect.void : Effect.die(new Error(`${to} was paid ${units}`))
      )
    )

  /** A key of a tenant's partner, which everybody has agreed to. */
  const openKey = Effect.fnUntraced(function* (
    id: TenantId,
    scopes: ReadonlyArray<(typeof allScopes)[number]> = allScopes
  ) {
    const made = yield* operator.keys.create({ params: { tenant_id: id }, payload: { label: "partner", scopes } })
    yield* agree(id, made.proposal_id ?? "")
    return made
  })

  /** A tenant to which everything is granted, with a full wallet. */
  const openPartner = Effect.gen(function* () {
    const { id, wallet } = yield* Effect.provide(signingTenant("ethereum"), ports)
    const tenant = yield* Context.get(ports, Tenants).byId(id)
    if (tenant === undefined) return yield* Effect.die(new Error("there is no such tenant"))
    yield* grant(
      id,
      "policy",
      policyValues({
        kind: tenant.kind,
        policy: {
          ...tenant.policy,
          ipAllowlist: null,
          destinationCoolingHours: 0,
          signaturesRequired: ["swaps", "transfers", "withdrawals", "xpubs"]
        }
      })
    )
    const { id: apiKeyId, key, prefix } = yield* openKey(id)
    const pair = yield* Effect.provide(signingPair({ id, apiKeyId, network: "ethereum" }), ports)
    const { keyid, privateJwk, publicKey } = pair
    yield* grant(id, "signing_key", { api_key_id: apiKeyId, keyid, public_key: publicKey, state: "ACTIVE" })
    yield* grant(id, "payout_wallet", { network: "ethereum", role: "PAYOUT", address: wallet.address, state: "ACTIVE" })
    yield* faucet.rpc("anvil_setBalance", [wallet.address, `0x${(10n * ether).toString(16)}`])
    yield* submit(id, adjustFloat({ amount: of(10n * ether, "ETH"), against: "chain:ethereum:payouts", reason: "gas" }))
    yield* submit(id, adjustFloat({ amount: of(10_000_000n, "EUR"), against: "bank", reason: "paid in" }))
    yield* mining(faucet.mint(token, wallet.address as Hex, funded))
    const lines = queries.accountLines(id, { account: "chain:ethereum:payouts", currency: price.currency, limit: 1 })
    yield* mining(soon("what the wallet was paid is booked", lines, ({ length }) => length > 0))
    yield* submit(id, adjustFloat({ amount: of(funded, price.currency), against: "suspense", reason: "funded" }))
    const call = (path: string, body?: unknown) => callOf(`${partnerUrl}${path}`, { bearer: key, body })
    /** Asks for a payout as the partner does. */
    const askFor = (to: string, amount?: string) => signed(call("/v1/chain-payouts", payoutTo(to, amount)), privateJwk)
    return {
      ...pair,
      id,
      wallet,
      key,
      prefix,
      call,
      askFor,
      holds: holds(id, wallet.address),
      ask: (to: string) => pair.sign(price.currency, price.amount, to),
      bookIn: pair.book,
      book: (payout: SignedPayout) => Effect.provide(pair.book(payout), ports),
      /** Pays somebody new, and waits until that is on the chain. */
      payHonestly: Effect.gen(function* () {
        const to = freshAddress()
        const { body } = yield* expectAnswer(yield* askFor(to), 201)
        yield* untilPaid({ id: body.id, tenantId: id }, to)
      })
    }
  })
  const [victim, other] = [yield* openPartner, yield* openPartner]
  yield* victim.payHonestly
  const processes = { server, signer, worker }
  return {
    ...world,
    faucet,
    grant,
    holdsDollars: (address: string) => faucet.tokenBalance(token, address as Hex),
    mining,
    openKey,
    operator,
    other,
    ports,
    price,
    queries,
    sql,
    submit,
    token,
    untilPaid,
    victim,
    /** What one operator asks for, whose token was stolen, or who has turned. */
    asMallory: (path: string, body?: unknown, headers: Readonly<Record<string, string>> = {}) =>
      callOf(`${operatorUrl}/operator/v1${path}`, { bearer: tokens.mallory, body, headers }),
    /** Waits until the signer says so, or the server, or the worker; gives what it says. */
    alarm: (process: keyof typeof processes, event: string, ...texts: ReadonlyArray<string>) =>
      Effect.map(processes[process].now().running.prints(lineOf(event, texts)), alarmOf)
  }
})

/** A request for a payout to somebody. */
export const payoutTo = (to: string, amount: string = price.amount) => ({
  amount: { amount, currency: price.currency },
  network: "ethereum",
  destination: { address: to, memo: null },
  reference: to
})

/** A service that is attacked. */
export class AttackedService extends Context.Service<AttackedService, Effect.Success<typeof open>>()(
  "test/AttackedService"
) {
  static readonly layer = Layer.effect(AttackedService, open)
}

/** A service that is attacked. */
export type Attacked = AttackedService["Service"]
