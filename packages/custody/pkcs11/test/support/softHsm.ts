import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createRequire } from "node:module"
import type Pkcs11 from "pkcs11js"

const usual = [
  "/usr/lib/softhsm/libsofthsm2.so",
  "/usr/lib/x86_64-linux-gnu/softhsm/libsofthsm2.so",
  "/usr/lib/aarch64-linux-gnu/softhsm/libsofthsm2.so",
  "/usr/lib64/pkcs11/libsofthsm2.so",
  "/opt/homebrew/lib/softhsm/libsofthsm2.so",
  "/usr/local/lib/softhsm/libsofthsm2.so"
]

const load = (): typeof Pkcs11 | undefined => {
  try {
    // the binding is CommonJS, and what it exports is what its declarations say
    return createRequire(import.meta.url)("pkcs11js") as typeof Pkcs11
  } catch {
    return undefined
  }
}

const named = process.env["SOFTHSM2_MODULE"]
const module = named === undefined || named === "" ? usual.find((path) => existsSync(path)) : named
const binding = load()

/** SoftHSM where it is installed and its binding is built; else why the tests on it are skipped. */
export const softHsm =
  module === undefined
    ? {
        skipped:
          ", skipped: install SoftHSM 2, or set SOFTHSM2_MODULE to its libsofthsm2.so (docs/contributing/nodes.md)"
      }
    : binding === undefined
      ? { skipped: ", skipped: pkcs11js is not compiled: run .ci/pkcs11js (docs/contributing/nodes.md)" }
      : { skipped: "", module, binding }

/** The PIN of the tokens that tests make. */
export const testPin = "1234-test"

/** A folder of tokens of its own, which ends with the process that made it. Set before the module is loaded. */
export const newTokens = (labels: ReadonlyArray<string>): { readonly remove: () => void } => {
  const folder = mkdtempSync(join(tmpdir(), "bursar-softhsm-"))
  mkdirSync(join(folder, "tokens"))
  const configuration = join(folder, "softhsm2.conf")
  writeFileSync(
    configuration,
    `directories.tokendir = ${join(folder, "tokens")}\nobjectstore.backend = file\nlog.level = ERROR\n`
  )
  process.env["SOFTHSM2_CONF"] = configuration
  if (binding === undefined || module === undefined) throw new Error("there is no SoftHSM")
  const hsm = new binding.PKCS11()
  hsm.load(module)
  hsm.C_Initialize()
  for (const label of labels) {
    // the last slot has no token yet
    const slot = hsm.C_GetSlotList(false).at(-1)
    if (slot === undefined) throw new Error("there is no slot")
    hsm.C_InitToken(slot, "so-pin-test", label)
    const session = hsm.C_OpenSession(slot, binding.CKF_RW_SESSION | binding.CKF_SERIAL_SESSION)
    hsm.C_Login(session, binding.CKU_SO, "so-pin-test")
    hsm.C_InitPIN(session, testPin)
    hsm.C_CloseSession(session)
  }
  hsm.C_Finalize()
  hsm.close()
  return { remove: () => rmSync(folder, { recursive: true, force: true }) }
}
