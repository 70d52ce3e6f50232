/** A thumbprint (RFC 7638), which names a partner's key, as one in 64 begins: like a flag. No flag is so long. */
const likeFlag = /^-[A-Za-z0-9_-]{42}$/u

/** Arguments of a command in which names of keys that look like flags are none: they stand behind `--`, where no flags are. */
export const withOperands = (args: ReadonlyArray<string>): ReadonlyArray<string> => {
  const names = args.filter((one) => likeFlag.test(one))
  return names.length === 0 || args.includes("--")
    ? args
    : [...args.filter((one) => !likeFlag.test(one)), "--", ...names]
}
