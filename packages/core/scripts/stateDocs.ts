import { accountMachine } from "../src/account/AccountMachine.ts"
import { depositMachine } from "../src/deposit/DepositMachine.ts"
import { drawMermaid, type Machine } from "../src/engine/Machine.ts"
import { transactionMachine } from "../src/transaction/TransactionMachine.ts"
import { operationMachine } from "../src/operation/OperationMachine.ts"
import { sweepMachine } from "../src/sweep/SweepMachine.ts"

const section = (title: string, machine: Machine<string, string, string>): string =>
  [
    `## ${title}`,
    "",
    "```mermaid",
    drawMermaid(machine),
    "```",
    "",
    "| from | trigger | to | effect |",
    "|---|---|---|---|",
    ...machine.moves.map(
      ({ effects, from, to, trigger }) => `| ${from ?? "(none)"} | ${trigger} | ${to} | ${effects.join(", ") || "–"} |`
    )
  ].join("\n")

/** The page of state machines, drawn from the tables that the core runs. */
export const stateDocs = (): string =>
  [
    "# States",
    "",
    "This page lists the states of deposits, operations, fiat accounts, outbound transactions and sweeps, and every possible transition. It is generated\nfrom the tables in `@bursar/core`: a transition that is not in a table cannot happen.",
    "",
    section("Deposit", depositMachine),
    "",
    section("Operation", operationMachine),
    "",
    section("Fiat account", accountMachine),
    "",
    section("Outbound transaction", transactionMachine),
    "",
    section("Sweep", sweepMachine),
    ""
  ].join("\n")
