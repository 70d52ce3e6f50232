import { createHash } from "node:crypto"
import { promisify } from "node:util"
import { brotliCompress, constants } from "node:zlib"
import { Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import { pathOf } from "../http/pathOf.ts"
import { type Gate, pass } from "../http/Step.ts"

const compress = promisify(brotliCompress)

/** The page from which the console begins, whatever its address says. */
const page = "/index.html"

/** The first part of a path, below which all belongs to one thing: `health` of `/health/live`. */
const rootOf = (path: string): string => path.split("/", 2)[1] ?? ""

const contentTypes: Readonly<Record<string, string>> = {
  html: "text/html; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  css: "text/css; charset=utf-8",
  svg: "image/svg+xml",
  woff2: "font/woff2"
}

/** The console runs its own files and talks to its own service: nothing inline, nothing from elsewhere, in no frame. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'"
].join("; ")

/** For how long a file whose name holds its digest may be kept, in seconds: a year. */
const keptSeconds = 31_536_000

const pathWanted = (
  method: string,
  url: string,
  accept: string | undefined,
  files: ReadonlyMap<string, Uint8Array>,
  foreign: ReadonlySet<string>
) => {
  if (method !== "GET" && method !== "HEAD") return undefined
  const path = pathOf(url)
  if (path !== page && files.has(path)) return path
  const isPage = !foreign.has(rootOf(path)) && accept?.includes("text/html") === true
  return isPage && files.has(page) ? page : undefined
}

/** What is sent of a file: plain, and compressed once it was asked for. */
const makeSent = (path: string, plain: Uint8Array) => {
  const etag = `"${createHash("sha256").update(plain).digest("base64url").slice(0, 22)}"`
  const contentType = contentTypes[path.split(".").at(-1) ?? ""] ?? "application/octet-stream"
  const headers = {
    vary: "accept-encoding",
    "cache-control": path === page ? "no-cache" : `public, max-age=${keptSeconds}, immutable`,
    ...(path === page && { "content-security-policy": policy })
  }
  let zipped: Promise<Uint8Array> | undefined
  const small = () =>
    (zipped ??= compress(plain, { params: { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY } }))
  return { contentType, etag, headers, plain, small }
}

/**
 * Answers with the files of the console, and with its page on every path but those that begin as one of the routes does; every other
 * request goes on. Files are for anybody: what they show takes a session.
 */
export const consolePages = (
  files: ReadonlyMap<string, Uint8Array>,
  routes: ReadonlyArray<{ readonly path: string }>
): Gate => {
  const foreign = new Set(routes.map(({ path }) => rootOf(path)))
  const sent = new Map([...files].map(([path, bytes]) => [path, makeSent(path, bytes)]))
  return ({ request: { headers, method, url } }) => {
    const file = sent.get(pathWanted(method, url, headers["accept"], files, foreign) ?? "")
    if (file === undefined) return pass
    if (headers["if-none-match"]?.includes(file.etag) === true)
      return Effect.succeed(HttpServerResponse.empty({ status: 304, headers: { ...file.headers, etag: file.etag } }))
    const { contentType } = file
    return headers["accept-encoding"]?.includes("br") === true
      ? Effect.map(Effect.promise(file.small), (small) =>
          HttpServerResponse.uint8Array(small, {
            contentType,
            headers: { ...file.headers, etag: `W/${file.etag}`, "content-encoding": "br" }
          })
        )
      : Effect.succeed(
          HttpServerResponse.uint8Array(file.plain, { contentType, headers: { ...file.headers, etag: file.etag } })
        )
  }
}
