#!/usr/bin/env node
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Cause, Console, Effect, Exit, Runtime } from "effect"
import { CliError, Command } from "effect/cli"
import { addressCommand } from "./commands/address.ts"
import { auditCommand } from "./commands/audit.ts"
import { checkCommand } from "./commands/check.ts"
import { destinationCommand } from "./commands/destination.ts"
import { devCommand } from "./commands/dev.ts"
import { feeCommand } from "./commands/fee.ts"
import { floatCommand } from "./commands/float.ts"
import { keyCommand } from "./commands/key.ts"
import { migrateCommand } from "./commands/migrate.ts"
import { networkCommand } from "./commands/network.ts"
import { operationCommand } from "./commands/operation.ts"
import { payoutCommand } from "./commands/payout.ts"
import { reviewCommand } from "./commands/review.ts"
import { serveCommand } from "./commands/serve.ts"
import { signingKeyCommand } from "./commands/signingKey.ts"
import { suspenseCommand } from "./commands/suspense.ts"
import { tenantCommand } from "./commands/tenant.ts"
import { vaultCommand } from "./commands/vault.ts"
import { walletCommand } from "./commands/wallet.ts"
import { webhookCommand } from "./commands/webhook.ts"
import { workCommand } from "./commands/work.ts"

// What a command stands on is loaded when it runs, so that `bursar --help` does not wait for six networks and PostgreSQL.
const bursar = Command.make("bursar").pipe(
  Command.withDescription("Self-hosted custody and payments for partners"),
  Command.withSubcommands([
    devCommand,
    serveCommand,
    workCommand,
    migrateCommand,
    checkCommand,
    tenantCommand,
    keyCommand,
    signingKeyCommand,
    webhookCommand,
    addressCommand,
    walletCommand,
    payoutCommand,
    operationCommand,
    reviewCommand,
    destinationCommand,
    feeCommand,
    floatCommand,
    suspenseCommand,
    networkCommand,
    auditCommand,
    vaultCommand
  ])
)

/** A stop that was asked for is a success: SIGTERM ends with 0. */
const teardown: Runtime.Teardown = (exit, onExit) =>
  Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause) ? onExit(0) : Runtime.defaultTeardown(exit, onExit)

const isShownHelp = (error: unknown) => CliError.isCliError(error) && error._tag === "ShowHelp"

/** Says what went wrong, unless the command has said it with its help. */
const report = Effect.fnUntraced(function* (cause: Cause.Cause<unknown>) {
  const told = cause.reasons.every((reason) => reason._tag === "Fail" && isShownHelp(reason.error))
  if (told || Cause.hasInterruptsOnly(cause)) return
  const { explain } = yield* Effect.promise(() => import("./explain.ts"))
  yield* Console.error(explain(cause))
})

const main = Command.run(bursar, { version: "0.0.0" }).pipe(Effect.tapCause(report), Effect.provide(NodeServices.layer))

NodeRuntime.runMain(main, { teardown, disableErrorReporting: true })
