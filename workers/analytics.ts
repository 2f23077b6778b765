/** Thread entry of a front: one report of search analytics. */
import { readReport } from '../src/analytics/report.ts';
import type { AnalyticsReport, ReportRequest } from '../src/model/analytics.ts';
import { AnalyticsFiles } from '../src/storage/analytics-files.ts';

export interface ReportTask {
  readonly folder: string;
  readonly request: ReportRequest;
}

export default ({ folder, request }: ReportTask): Promise<AnalyticsReport> =>
  readReport(new AnalyticsFiles(folder), request);
