import { Command } from "effect/cli"
import { addressCommand } from "./commands/address.ts"
import { approverCommand } from "./commands/approver.ts"
import { auditCommand } from "./commands/audit.ts"
import { consoleCommand } from "./commands/console.ts"
import { customerCommand } from "./commands/customer.ts"
import { checkCommand } from "./commands/check.ts"
import { destinationCommand } from "./commands/destination.ts"
import { exportCommand } from "./commands/export.ts"
import { feeCommand } from "./commands/fee.ts"
import { floatCommand } from "./commands/float.ts"
import { grantCommand } from "./commands/grant.ts"
import { keyCommand } from "./commands/key.ts"
import { migrateCommand } from "./commands/migrate.ts"
import { networkCommand } from "./commands/network.ts"
import { operationCommand } from "./commands/operation.ts"
import { payoutCommand } from "./commands/payout.ts"
import { periodCommand } from "./commands/period.ts"
import { providerCommand } from "./commands/provider.ts"
import { reportCommand } from "./commands/report.ts"
import { reviewCommand } from "./commands/review.ts"
import { signCommand } from "./commands/sign.ts"
import { serveCommand } from "./commands/serve.ts"
import { operatorCommand } from "./commands/operatorToken.ts"
import { signingKeyCommand } from "./commands/signingKey.ts"
import { reconcileCommand } from "./commands/reconcile.ts"
import { solvencyCommand } from "./commands/solvency.ts"
import { suspenseCommand } from "./commands/suspense.ts"
import { sweepCommand } from "./commands/sweep.ts"
import { tenantCommand } from "./commands/tenant.ts"
import { vaultCommand } from "./commands/vault.ts"
import { waitingCommand } from "./commands/waiting.ts"
import { walletCommand } from "./commands/wallet.ts"
import { seriesCommand } from "./commands/series.ts"
import { webhookCommand } from "./commands/webhook.ts"
import { workCommand } from "./commands/work.ts"

// What a command stands on is loaded when it runs, so that `bursar --help` does not wait for six networks and PostgreSQL.
/** The command `bursar`. */
export const bursar = Command.make("bursar").pipe(
  Command.withDescription("Self-hosted custody and payments for partners"),
  Command.withSubcommands([
    serveCommand,
    workCommand,
    signCommand,
    migrateCommand,
    checkCommand,
    tenantCommand,
    keyCommand,
    signingKeyCommand,
    webhookCommand,
    addressCommand,
    sweepCommand,
    walletCommand,
    customerCommand,
    payoutCommand,
    operationCommand,
    reviewCommand,
    destinationCommand,
    feeCommand,
    floatCommand,
    reconcileCommand,
    solvencyCommand,
    suspenseCommand,
    waitingCommand,
    networkCommand,
    providerCommand,
    operatorCommand,
    approverCommand,
    grantCommand,
    auditCommand,
    consoleCommand,
    exportCommand,
    periodCommand,
    reportCommand,
    seriesCommand,
    vaultCommand
  ])
)
