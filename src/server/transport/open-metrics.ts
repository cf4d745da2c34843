/**
 * Metrics in the text format of OpenMetrics 1.0, which Prometheus and others read.
 * Source: https://github.com/prometheus/OpenMetrics, specification/OpenMetrics.md, section 5.
 * @module
 */
import type { Metric, MetricSample } from '../rpc/metric.ts';

export const OPEN_METRICS_TYPE = 'application/openmetrics-text; version=1.0.0; charset=utf-8';

/** The exposition of metrics, whose names must differ. A metric without samples is left out. */
export function openMetricsText(metrics: readonly Metric[]): string {
  return `${metrics.map(familyText).join('')}# EOF\n`;
}

function familyText({ name, type, unit, help, samples }: Metric): string {
  if (samples.length === 0) return '';
  const lines = [`# TYPE ${name} ${type}`];
  if (unit !== undefined) lines.push(`# UNIT ${name} ${unit}`);
  lines.push(`# HELP ${name} ${escaped(help)}`, ...samples.map((sample) => sampleText(name, sample)));
  return `${lines.join('\n')}\n`;
}

function sampleText(name: string, { suffix, labels = {}, value }: MetricSample): string {
  const pairs = Object.entries(labels).map(([label, text]) => `${label}="${escaped(text)}"`);
  return `${name}${suffix ?? ''}${pairs.length === 0 ? '' : `{${pairs.join()}}`} ${value}`;
}

function escaped(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n').replaceAll('"', '\\"');
}
