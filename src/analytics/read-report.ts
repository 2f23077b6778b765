/** A report from the files that the indexer writes. */
import type { AnalyticsReport, EventRow, ReportRequest, SearchRow } from '../model/analytics.ts';
import type { AnalyticsFiles } from '../storage/analytics-files.ts';
import { dayAfter, ReportBuilder } from './report.ts';

export async function readReport(
  files: AnalyticsFiles,
  request: ReportRequest,
): Promise<AnalyticsReport> {
  const { from, to } = request;
  const report = new ReportBuilder(request);
  // A row is in the file of its day, or in that of the next one shortly after midnight.
  for await (const rows of files.read('events', from, dayAfter(dayAfter(to))))
    for (const row of rows) report.addEvent(row as EventRow);
  for await (const rows of files.read('searches', from, dayAfter(to)))
    for (const row of rows) report.addSearch(row as SearchRow);
  return report.finish();
}
