import { fileURLToPath } from "node:url"

/** Where a program of ours is: bundled, as it was before the tests (`scripts/testPrograms.mjs`), or its source. */
export const programAt = (url: URL): string => {
  const source = fileURLToPath(url)
  const bundled: Readonly<Record<string, string>> = JSON.parse(process.env["TEST_PROGRAMS"] ?? "{}")
  return bundled[source] ?? source
}
