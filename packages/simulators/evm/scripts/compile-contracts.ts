/**
 * Compiles contracts/*.sol into src/bytecode.ts. Run by hand after a change: `node scripts/compile-contracts.ts`.
 * The compiler comes from npm for this one call, so that the workspace does not carry it.
 */
import { execFileSync } from "node:child_process"
import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"

const compiler = "solc@0.8.30"
const root = join(import.meta.dirname, "..")
const names = readdirSync(join(root, "contracts"))
  .filter((name) => name.endsWith(".sol"))
  .toSorted()

const input = {
  language: "Solidity",
  sources: Object.fromEntries(
    names.map((name) => [name, { content: readFileSync(join(root, "contracts", name), "utf8") }])
  ),
  settings: {
    evmVersion: "cancun",
    optimizer: { enabled: true, runs: 200 },
    // No metadata at the end of the code: the same source gives the same bytes.
    metadata: { appendCBOR: false, bytecodeHash: "none" },
    outputSelection: { "*": { "*": ["evm.deployedBytecode.object"] } }
  }
}

interface Output {
  readonly errors?: ReadonlyArray<{ readonly severity: string; readonly formattedMessage: string }>
  readonly contracts: Readonly<
    Record<
      string,
      Readonly<Record<string, { readonly evm: { readonly deployedBytecode: { readonly object: string } } }>>
    >
  >
}

const text = execFileSync("npx", ["--yes", `--package=${compiler}`, "solcjs", "--standard-json"], {
  input: JSON.stringify(input),
  encoding: "utf8",
  maxBuffer: 64 * 1024 * 1024,
  stdio: ["pipe", "pipe", "inherit"]
})
// The command prints a line about its own progress before the document.
const output = JSON.parse(text.slice(text.indexOf("{"))) as Output
const errors = (output.errors ?? []).filter((error) => error.severity === "error")
if (errors.length > 0) throw new Error(errors.map((error) => error.formattedMessage).join("\n"))

const codes = Object.values(output.contracts)
  .flatMap((contracts) => Object.entries(contracts))
  .map(([name, contract]) => [name, contract.evm.deployedBytecode.object] as const)
  .filter(([, code]) => code !== "")
  .toSorted(([a], [b]) => (a < b ? -1 : 1))

writeFileSync(
  join(root, "src/bytecode.ts"),
  `/**
 * Runtime code of the contracts in contracts/*.sol, made by scripts/compile-contracts.ts with ${compiler} (cancun,
 * optimiser 200 runs, no metadata). Not edited by hand.
 */
export const bytecode = {
${codes.map(([name, code]) => `  ${name}: "0x${code}"`).join(",\n")}
} as const
`
)
execFileSync(process.execPath, [join(root, "../../../node_modules/oxfmt/bin/oxfmt"), join(root, "src/bytecode.ts")])
