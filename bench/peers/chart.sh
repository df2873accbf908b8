#!/bin/sh
# Draws round trips/s with 1 024 jobs outstanding: the median as a bar, the lowest and the highest
# run as a line. chart.sh CHART.csv OUTPUT.svg
set -eu

if [ $# != 2 ] || [ ! -r "$1" ]; then
  echo "usage: chart.sh CHART.csv OUTPUT.svg" >&2
  exit 2
fi
command -v gnuplot >/dev/null || { echo "chart.sh: gnuplot is needed (gnuplot-nox)" >&2; exit 2; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# rows CONNECTIONS: "label median lowest highest", slowest first.
rows() {
  awk -F, -v connections="$1" '
    $2 == "round-trips" && $3 == connections && $4 == 1024 && $5 == 100 {
      label = $6 > 0 ? $1 " (takes " $6 ")" : $1
      printf "\"%s\" %d %d %d\n", label, $8, $9, $10
    }' "$2" | sort -t '"' -k 3 -n
}
rows 1 "$1" >"$work/1.dat"
rows 8 "$1" >"$work/8.dat"
[ -s "$work/8.dat" ] || { echo "chart.sh: no round trips of 8+8 connections in $1" >&2; exit 1; }
height=$(($(wc -l <"$work/8.dat") * 22 + 130))

gnuplot <<END
set terminal svg size 1000,$height font "sans-serif,12" background "white"
set output "$2"
set multiplot layout 1,2 title "Round trips a second, 1 024 jobs of 100 bytes outstanding"
set style fill solid 0.75
set format x "%.0s%c"
set border 3
set grid xtics
set xtics nomirror rotate by -30
set ytics nomirror scale 0
set lmargin 24
set rmargin 8
unset key
# "1.23M": three digits, rounded.
short(v) = v < 1e4 ? gprintf("%.1s%c", v) : gprintf(v < 1e6 ? "%.0s%c" : "%.2s%c", v)
do for [connections in "1 8"] {
  file = sprintf("$work/%s.dat", connections)
  set title sprintf("%s+%s connections of clients and workers", connections, connections)
  stats file using 4 nooutput
  set xrange [0:STATS_max * 1.15]
  set yrange [-0.7:*]
  plot file using (\$2 / 2.0):0:(0):2:(\$0 - 0.35):(\$0 + 0.35):(strstrt(strcol(1), "twofold") ? 0x2a6fb0 : 0x9aa5b1):ytic(1) \\
         with boxxyerror linecolor rgb variable, \\
       file using 2:0:3:4 with xerrorbars pointtype 0 linecolor rgb "black", \\
       file using 4:0:(short(\$2)) with labels left offset 0.7,0 font ",10"
}
unset multiplot
END
