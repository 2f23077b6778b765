/** Reads the report of `npm audit --json`. */

const UNANSWERED = 2;

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}

/** Exit code and lines to print. A report without counts is invalid. */
export function verdictOf(text) {
  const { vulnerabilities, metadata, statusCode } = parsed(text);
  const total = metadata?.vulnerabilities?.total;
  if (vulnerabilities === undefined || total === undefined) {
    const status = statusCode === undefined ? '' : ` (status ${statusCode})`;
    const reason = `The registry in use does not answer requests for advisories${status}.`;
    const hint = 'Nothing was checked. Run this again with a registry that does.';
    return { code: UNANSWERED, lines: [reason, hint] };
  }
  const packages = metadata.dependencies?.total ?? 0;
  if (total === 0) return { code: 0, lines: [`No known vulnerabilities in ${packages} packages.`] };
  const lines = Object.values(vulnerabilities).map(
    ({ name, severity, range, fixAvailable }) =>
      `${severity}: ${name} ${range}${fixAvailable ? ', an update fixes it' : ''}`,
  );
  return { code: 1, lines: lines.sort() };
}
