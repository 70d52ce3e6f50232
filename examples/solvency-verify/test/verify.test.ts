import { execFile, spawnSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { type SolvencyProof, verifySolvency } from "@bursar/client"
import { afterAll, describe, expect, it, vi } from "vitest"

// each answer is a process of Python
vi.setConfig({ testTimeout: 60_000 })

const program = fileURLToPath(new URL("../verify.py", import.meta.url))
const vectors = new URL("../../../docs/reference/solvency-vectors.json", import.meta.url)
const hasPython = spawnSync("python3", ["--version"]).status === 0
if (!hasPython) console.warn("SKIPPED: python3 is missing, so that the verifier in Python was not run")

const folder = mkdtempSync(join(tmpdir(), "bursar-solvency-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const { answers } = JSON.parse(readFileSync(vectors, "utf8")) as { answers: ReadonlyArray<SolvencyProof> } // as the file is made
const [answer] = answers
if (answer === undefined) throw new Error("the vectors have answers")

let written = 0

/** What the verifier in Python makes of an answer. */
const verify = async (text: string, ...more: ReadonlyArray<string>) => {
  written += 1
  const file = join(folder, `${written}.json`)
  writeFileSync(file, text)
  return promisify(execFile)("python3", [program, file, ...more]).then(
    ({ stdout }) => ({ ok: true, stdout }),
    ({ code, stdout }: { readonly code: number; readonly stdout: string }) => ({
      ok: code !== 1 ? undefined : false,
      stdout
    })
  )
}

/** An answer with one text in it replaced. */
// each change writes what no answer may hold
// oxlint-disable-next-line typescript/no-explicit-any
const changed = (change: (answer: any) => void): SolvencyProof => {
  const copy = structuredClone(answer)
  change(copy)
  return copy
}

const tampered: Readonly<Record<string, SolvencyProof>> = {
  "a smaller amount": changed(({ leaves: [leaf] }) => {
    leaf.units = "4999999"
    leaf.parts.available = "4999999"
  }),
  "a larger amount beside the leaf": changed(({ leaves: [leaf] }) => void (leaf.amount = "5000")),
  "an amount that is none": changed(({ leaves: [leaf] }) => void (leaf.amount = "5e3")),
  "other decimals, and the amount that they make of it": changed(({ leaves: [leaf] }) => {
    leaf.decimals = 3
    leaf.amount = "5000"
  }),
  "an amount that its parts do not come to": changed(({ leaves: [leaf] }) => void (leaf.parts.held = "1")),
  "another salt": changed(({ leaves: [leaf] }) => void (leaf.salt = "ab".repeat(32))),
  "another place": changed(({ leaves: [leaf] }) => void (leaf.index = 1)),
  "a place that is none": changed(({ leaves: [leaf] }) => void (leaf.index = -1)),
  "swapped siblings": changed(({ leaves: [leaf] }) => void (leaf.path = leaf.path.toReversed())),
  "a sibling with another sum": changed(({ leaves: [leaf] }) => void (leaf.path[1].units = "1")),
  "a negative sibling": changed(({ leaves: [leaf] }) => void (leaf.path[0].units = "-1")),
  "a sum that is too large": changed(({ leaves: [leaf] }) => void (leaf.path[0].units = String(2n ** 128n - 1n))),
  "a shorter path": changed(({ leaves: [leaf] }) => void leaf.path.pop()),
  "another total": changed(({ leaves: [leaf] }) => void (leaf.tree.total = "1")),
  "another snapshot": changed((copy) => void (copy.snapshot_id = "019845e1-682f-4b02-a706-3b2422d13aed")),
  "another format": changed((copy) => void (copy.format = "bursar-solvency-2")),
  "a leaf twice": changed(({ leaves }) => void leaves.push(leaves[0])),
  "another digest": changed((copy) => void (copy.digest = "ab".repeat(32))),
  "the signature of something else": changed(
    (copy) => void (copy.signature.signature = `${"0".repeat(64)}${copy.signature.signature.slice(64)}`)
  ),
  "a signature that is none": changed((copy) => void (copy.signature.signature = "f".repeat(128))),
  "another name of the service": changed((copy) => void (copy.service = "Another")),
  "no document, which alone ties the leaves to the digest": changed((copy) => void (copy.document = null)),
  "a document without what could not be read": changed(({ document }) => void document.unread.pop()),
  "a document with a smaller liability": changed(({ document }) => void (document.liabilities[0].total = "1")),
  "a document with a larger reserve": changed(
    ({ document }) => void (document.reserves[0].holdings[0].units = "95000000001")
  ),
  "a document that hides the shortfall": changed(({ document }) => {
    document.summary[0].covered = true
    document.summary[0].difference = "0"
  })
}

describe.skipIf(!hasPython)("the verifier in Python", () => {
  it("verifies what was published, for each tenant its own", async () => {
    for (const one of answers) {
      const { ok, stdout } = await verify(JSON.stringify(one), "--tenant", one.tenant_id, "--digest", one.digest)
      expect(stdout).toContain("Verified.")
      expect(stdout).toContain("NOT covered")
      expect(ok).toBe(true)
    }
  })

  it("refuses whatever was tampered with, as the client does", async () => {
    const taken: Array<string> = []
    for (const [what, one] of Object.entries(tampered)) {
      const { ok } = await verify(JSON.stringify(one), "--tenant", answer.tenant_id)
      if (ok !== false) taken.push(`${what}, in Python`)
      if ((await verifySolvency(one, { tenantId: answer.tenant_id })).ok) taken.push(`${what}, by the client`)
    }
    expect(taken).toEqual([])
  })

  it("verifies the document alone, by the key that was published, and refuses another", async () => {
    const { document } = answer
    const text = JSON.stringify(document)
    expect((await verify(text, "--signed-by", answer.signature.key)).ok).toBe(true)
    expect((await verify(text, "--signed-by", "ab".repeat(32))).ok).toBe(false)
    expect((await verify(JSON.stringify(answer))).ok).toBe(false)
    expect((await verify(JSON.stringify({ ...document, unread: [] }))).ok).toBe(false)
    const knows = { tenantId: answer.tenant_id, signedBy: answer.signature.key }
    expect((await verifySolvency(answer, knows)).ok).toBe(true)
    expect((await verifySolvency(answer, { ...knows, signedBy: "ab".repeat(32) })).ok).toBe(false)
  })

  it("refuses the proof of somebody else, another digest, and what is no answer", async () => {
    const text = JSON.stringify(answer)
    expect((await verify(text, "--tenant", answers[1]?.tenant_id ?? "")).ok).toBe(false)
    expect((await verify(text, "--tenant", answer.tenant_id, "--digest", "ab".repeat(32))).ok).toBe(false)
    expect((await verify("{}", "--tenant", answer.tenant_id)).ok).toBe(false)
    expect((await verify("[]", "--tenant", answer.tenant_id)).ok).toBe(false)
  })
})
