import { Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { connectionFlags, openTenant, proposing, tenantArgument } from "./operator.ts"
import { printRecord, printRows, printText } from "./print.ts"

const create = Command.make(
  "create",
  {
    ...connectionFlags,
    tenant: tenantArgument,
    network: Argument.String("network").pipe(Argument.withDescription("Such as tron")),
    channel: Flag.Boolean("channel").pipe(
      Flag.withDescription("Stellar: a channel account, for more payouts at once"),
      Flag.withDefault(false)
    ),
    another: Flag.Boolean("another").pipe(
      Flag.withDescription("ethereum, bsc, base: a payout wallet beside the one that is there"),
      Flag.withDefault(false)
    ),
    custody: Flag.String("custody").pipe(
      Flag.withDescription("The key custody that makes and keeps the key, such as pkcs11; the vault without it"),
      Flag.optional
    )
  },
  Effect.fn(function* (options) {
    const { client, params } = yield* openTenant(options)
    const payload = {
      ...(Option.isSome(options.custody) ? { custody: options.custody.value } : {}),
      network: options.network,
      role: options.channel ? ("CHANNEL" as const) : ("PAYOUT" as const),
      ...(options.another ? { another: true } : {})
    }
    // only people are told whether it was there
    const before = options.json ? [] : (yield* client.payouts.wallets({ params })).wallets
    const wallet = yield* client.payouts.createWallet({ params, payload })
    yield* printRecord(options.json, wallet)
    if (options.json) return
    if (before.some(({ id }) => id === wallet.id))
      yield* printText(`\nThis wallet was there before: no key was made. Where a second one helps, --another makes it.`)
    const { printUngranted } = yield* proposing
    const why =
      "Nothing is swept to this wallet, and your partner is not shown it, before people have approved it. Propose it:"
    yield* printUngranted(client, { chain: params.tenant_id, kind: "payout_wallet", name: options.tenant, why })
  })
).pipe(
  Command.withDescription("Create a payout wallet of a tenant; the vault or a custody keeps its key"),
  Command.withExamples([
    { command: "bursar wallet create acme tron", description: "Then fund the address that it shows" },
    { command: "bursar wallet create acme tron --custody pkcs11", description: "With its key in hardware" },
    { command: "bursar wallet create acme ethereum --another", description: "For more payouts at once" }
  ])
)

const list = Command.make(
  "list",
  { ...connectionFlags, tenant: tenantArgument },
  Effect.fn(function* (options) {
    const { client, params } = yield* openTenant(options)
    const { wallets } = yield* client.payouts.wallets({ params })
    const rows = wallets.map(({ address, custody, id, network, next_sequence, open_transactions, role }) => ({
      network,
      role,
      address,
      custody,
      open_transactions,
      next_sequence,
      id
    }))
    yield* printRows(options.json, options.json ? wallets : rows, "The tenant has no wallets.")
  })
).pipe(Command.withDescription("List a tenant's wallets"))

const show = Command.make(
  "show",
  {
    ...connectionFlags,
    tenant: tenantArgument,
    wallet: Argument.String("wallet").pipe(Argument.withDescription("The id of the wallet"))
  },
  Effect.fn(function* (options) {
    const { client, params } = yield* openTenant(options)
    const found = yield* client.wallets.get({ params: { ...params, wallet_id: options.wallet } })
    if (options.json) return yield* printRecord(true, found)
    const { assets, chain_sequence, gaps, transactions, utxos, wallet } = found
    yield* printRecord(false, { ...wallet, chain_sequence, gaps, utxos: utxos.length })
    const rows = assets.map(({ committed, currency, on_chain }) => ({
      currency,
      on_chain: on_chain?.amount ?? "unknown",
      committed: committed.amount
    }))
    yield* printRows(false, rows, "Nothing stands on it.")
    yield* printRows(false, transactions, "No transaction is open.")
  })
).pipe(Command.withDescription("Show what the chain and the books have on a wallet: balances, nonces, gaps, outputs"))

/** `bursar wallet …` */
export const walletCommand = Command.make("wallet").pipe(
  Command.withDescription("Payout wallets"),
  Command.withSubcommands([create, list, show])
)
